import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LABELLED_GUARDS } from './guard-samples.ts';
import { readSamples } from './read-samples.ts';

const OWN = resolve(import.meta.dirname, '../samples');
const MIN_LINES = 200;

describe.each(LABELLED_GUARDS)("the repository's samples of %s", (guard) => {
  test('the file has at least 200 valid lines, and no text twice', async () => {
    const samples = await readSamples(OWN, guard);
    expect(samples.length).toBeGreaterThanOrEqual(MIN_LINES);
    const texts = samples.map(({ text }) => text.toLowerCase());
    expect(texts.filter((text, at) => texts.indexOf(text) < at)).toEqual([]);
    expect(new Set(samples.map(({ label }) => label))).toEqual(new Set(['attack', 'benign']));
  });
});

test('the samples of language have at least twenty languages', async () => {
  const languages = new Set((await readSamples(OWN, 'language')).map(({ language }) => language));
  expect(languages.size).toBeGreaterThanOrEqual(20);
});

describe('a folder with files of several guards', () => {
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'samples-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const common = { text: 'Dear Ada.', source: 'own', language: 'en' };
  const write = (name: string, ...lines: object[]) =>
    writeFile(join(dir, name), lines.map((line) => JSON.stringify(line)).join('\n'));

  test('readSamples reads the files of one guard, and labels become spans', async () => {
    await write('attacks.jsonl', { ...common, label: 'attack' });
    await write('moderation.jsonl', { ...common, categories: ['threat'] }, { ...common, categories: [] });
    await write('language.jsonl', common, { ...common, language: 'de' }, { ...common, language: 'und' });
    await write('names.jsonl', { ...common, spans: [{ start: 5, end: 8, type: 'name', value: 'Ada' }] });
    expect((await readSamples(dir)).map(({ place }) => place)).toEqual(['attacks.jsonl:1']);
    const whole = { start: 0, end: 9 };
    expect(await readSamples(dir, 'moderation')).toMatchObject([
      { label: 'attack', spans: [{ ...whole, type: 'threat' }], group: 'moderation' },
      { label: 'benign', spans: [] },
    ]);
    expect(await readSamples(dir, 'language')).toMatchObject([
      { label: 'benign', spans: [{ ...whole, type: 'en' }] },
      { label: 'attack', spans: [{ ...whole, type: 'de' }] },
      { label: 'benign', spans: [] },
    ]);
    expect(await readSamples(dir, 'names')).toMatchObject([{ label: 'attack', spans: [{ start: 5, type: 'name' }] }]);
  });

  test('the error names file, line and member of a line without its label or with a span elsewhere', async () => {
    await write('moderation.jsonl', common);
    await write('names.jsonl', { ...common, spans: [{ start: 5, end: 8, type: 'name', value: 'Bob' }] });
    expect(await readSamples(dir, 'moderation').catch(String)).toContain('moderation.jsonl:1: categories: ');
    expect(await readSamples(dir, 'names').catch(String)).toContain('names.jsonl:1: spans.0: "Ada" is at this place');
  });
});
