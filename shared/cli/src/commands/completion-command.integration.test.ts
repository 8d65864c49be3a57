// The completion of a shell, as a process; bash runs its script.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

const run = promisify(execFile);

async function complete(...words: string[]): Promise<string[]> {
  const { stdout: script } = await millrace(['completion', 'bash']);
  const typed = ['millrace', ...words].map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', `${script}\n${asked}`]);
  return stdout.trim().split('\n');
}

test('bash completes commands, their subcommands and their options', async () => {
  expect(await complete('')).toEqual(expect.arrayContaining(['run', 'chat', 'doctor', 'completion']));
  expect(await complete('dead')).toEqual(['dead-letters']);
  expect(await complete('runs', 'ap')).toEqual(['approve']);
  expect(await complete('runs', 'approve', 'run-1', '--arg')).toEqual(['--arguments']);
});

test.each([
  ['zsh', 'bashcompinit'],
  ['fish', 'complete -c millrace -f'],
])('The script of %s is printed', async (shell, part) => {
  expect(await millrace(['completion', shell])).toMatchObject({ code: 0, stdout: expect.stringContaining(part) });
});

test('An unknown shell is a usage error', async () => {
  expect(await millrace(['completion', 'csh'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
