// Runs every command that reads a JSON file or stdin, and compares its message as the user sees it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

const cwd = mkdtempSync(join(tmpdir(), 'millrace-read-json-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'cut.json'), '{"a": ');
writeFileSync(join(cwd, 'list.json'), '[]');
writeFileSync(join(cwd, 'empty.json'), '');
writeFileSync(join(cwd, 'nested.json'), '[{"id": 7}]');

type Command = { name: string; args: (file: string) => string[] };
const object: Command[] = [
  { name: 'threads create', args: (file) => ['threads', 'create', 't', '--metadata', file] },
  { name: 'threads update', args: (file) => ['threads', 'update', 't', '--metadata', file] },
  { name: 'memory set', args: (file) => ['memory', 'set', file, '--resource', 'ada'] },
];
const save: Command = { name: 'messages save', args: (file) => ['messages', 'save', 't', file] };
const commands: Command[] = [...object, save, { name: 'check', args: (file) => ['check', 'p', '--cases', file] }];
const readError = async (command: Command, file: string, input?: string) => {
  const { code, stderr } = await millrace(command.args(file), input === undefined ? { cwd } : { cwd, input });
  expect(code).toBe(1);
  expect(stderr).toContain(`\n  Try: millrace ${command.name} --help\n`);
  return stderr.split('\n')[0];
};

describe.each(commands)('millrace $name', (command) => {
  test('A source that cannot be read is named once, with its reason', async () => {
    expect(await readError(command, 'none.json')).toBe('error: none.json does not exist');
    expect(await readError(command, '.')).toBe('error: . is a folder');
  });

  test('A source that is not JSON is named with the place of the error', async () => {
    expect(await readError(command, 'cut.json')).toMatch(/^error: cut\.json is not JSON: .*position 6|end of JSON/);
    expect(await readError(command, 'empty.json')).toBe('error: empty.json is empty; it must be JSON');
    expect(await readError(command, '-', '')).toBe('error: stdin is empty; it must be JSON');
    expect(await readError(command, '-', 'no')).toMatch(/^error: stdin is not JSON: /);
  });
});

test.each(object)('millrace $name names the expected and the given type', async (command) => {
  expect(await readError(command, 'list.json')).toBe('error: list.json: must be an object, not an array');
  expect(await readError(command, '-', '[]')).toBe('error: stdin: must be an object, not an array');
});

test('A fault within a source is named with its place', async () => {
  expect(await readError(save, 'nested.json')).toMatch(/^error: nested\.json: \[0\]\.\w+ \w+/);
});

test('An agent file that cannot be read is named once', async () => {
  expect((await millrace(['agents', 'apply', 'none.yaml'], { cwd })).stderr).toContain(
    'error: none.yaml does not exist',
  );
});
