// The blocks of the README under "Call it", in their order and as they are printed, beside a stack of other ports.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, runCommand } from './run-command.ts';

const nats = useNats();
const services = ['orchestrator', 'guardrails', 'tools', 'auth', 'gateway'];
const stack = useStack(nats, services, () => ({
  GATEWAY_PORT: '0',
  AUTH_FIRST_KEY_FILE: join(nats.keys ?? '', 'auth/first.key'),
}));
let folder: string;

/** A folder with the packages, the command and the stack file of a checkout. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-readme-'));
  const { port } = new URL(/"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '');
  await mkdir(join(folder, '.millrace'));
  const file = { natsUrl: nats.url, keys: nats.keys, ports: { gateway: Number(port) } };
  await writeFile(join(folder, '.millrace/stack.json'), JSON.stringify(file));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const scripts = { millrace: `node ${join(root, 'shared/cli/src/main.ts')}` };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', scripts }));
  const text = await readFile(join(root, 'deploy/agents/demo.yaml'), 'utf8');
  const { definition } = parseAgentFile('demo.yaml', text, {});
  const { memory: _, ...rest } = Object(definition);
  await stack.client.agents.apply(rest);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the blocks of a language in one section of the README. */
async function readBlocks(heading: string, language: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(new RegExp(String.raw`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );
}

test('The blocks of the README under "Call it" run in their order, with the ports of the stack', async () => {
  const [shell = '', python = '', program = ''] = await readBlocks('Call it', 'sh');
  const [source = ''] = await readBlocks('Call it', 'ts');
  await writeFile(join(folder, 'ask.ts'), source);
  expect(python).toContain('from openai import OpenAI');
  const withOpenAi = (await runCommand('python3', ['-c', 'import openai'])).code === 0;
  const script = ['set -e', shell, ...(withOpenAi ? [python] : []), program].join('\n');
  const { code, stdout, stderr } = await runCommand('bash', ['-c', script], { cwd: folder });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const answers = stdout.split('17 * 23 = 391.');
  expect(answers).toHaveLength(4);
  expect(answers[1]).toContain('"object":"chat.completion"');
  expect(answers[2]).toContain(withOpenAi ? '6 * 7 = 42.' : '');
  expect(stdout.trimEnd()).toMatch(/\nfinished$/);
});

test('The command env prints nothing of a terminal, and refuses a folder without a stack by name', async () => {
  const env = (cwd: string) =>
    runCommand(process.execPath, [join(root, 'shared/cli/src/main.ts'), 'env', '--json'], {
      cwd,
      env: { NATS_URL: 'nats://127.0.0.1:1', MILLRACE_API_KEY: 'mk_other' },
    });
  const { stdout } = await env(folder);
  expect(JSON.parse(stdout)).toMatchObject({
    NATS_URL: nats.url,
    OPENAI_API_KEY: (await readFile(join(nats.keys ?? '', 'auth/first.key'), 'utf8')).trim(),
  });
  expect(await env(tmpdir())).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('npm start') });
});
