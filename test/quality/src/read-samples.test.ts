import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSamples } from './read-samples.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'samples-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const good = { text: 'Hello.', label: 'benign', source: 'own', language: 'en' };
const write = (name: string, lines: readonly unknown[]) =>
  writeFile(join(dir, name), lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));

test("readSamples reads a folder file by file, skips empty lines, and uses the file's name as the default group", async () => {
  await write('b.jsonl', [good, '', { ...good, where: 'tool', group: 'mail', id: 7 }]);
  await write('a.jsonl', [`\uFEFF${JSON.stringify(good)}`]);
  await write('notes.txt', ['no sample']);
  expect(await readSamples(dir)).toMatchObject([
    { place: 'a.jsonl:1', group: 'a', where: 'user' },
    { place: 'b.jsonl:1', group: 'b' },
    { place: 'b.jsonl:3', group: 'mail', where: 'tool' },
  ]);
});

test('separators inside strings do not split a line', async () => {
  const text = 'one\u2028two\u2029three\u0085four';
  await write('a.jsonl', [JSON.stringify({ ...good, text }), `${JSON.stringify(good)}\r`, good]);
  expect(await readSamples(dir)).toMatchObject([{ text }, { place: 'a.jsonl:2' }, { place: 'a.jsonl:3' }]);
});

test('the error names file, line and member of invalid samples', async () => {
  await write('a.jsonl', [good, '{"text"', { ...good, label: 'bad' }, { label: 'benign' }]);
  const told = await readSamples(dir).catch(String);
  expect(told).toMatch(/^SamplesError: a\.jsonl:2: not JSON: .+\na\.jsonl:3: label: .+\na\.jsonl:4: text: .+source: /);
});

test('the error names spans outside of their sample', async () => {
  const spans = [
    { start: 0, end: 9, type: 'email' },
    { start: 0, end: 2, type: 'email', value: 'Hi' },
    { start: 2, end: 2, type: 'email' },
  ];
  await write(
    'a.jsonl',
    spans.map((span) => ({ ...good, spans: [span] })),
  );
  const told = await readSamples(dir).catch(String);
  expect(told).toContain('a.jsonl:1: spans.0.end: the text ends at 6');
  expect(told).toContain('a.jsonl:2: spans.0: "He" is at this place, not "Hi"');
  expect(told).toContain('a.jsonl:3: spans.0: a span ends after its start');
});

test('a folder without samples, or no folder, is an error', async () => {
  expect(await readSamples(dir).catch(String)).toContain('there is no .jsonl file in it for prompt-injection');
  expect(await readSamples(join(dir, 'none')).catch(String)).toContain('cannot be read');
});
