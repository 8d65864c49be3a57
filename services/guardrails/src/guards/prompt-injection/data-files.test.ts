// Tests the errors of broken data files: each names the file and the entry.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { readDataFolder } from './data-files.ts';
import { lexiconFileSchema } from './lexicon/lexicon-files.ts';
import { readRuleFiles } from './rules/rule-files.ts';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the files below a fresh folder and returns the URL of that folder. */
function writeData(name: string, files: Record<string, unknown>): URL {
  folder = mkdtempSync(join(tmpdir(), 'injection-data-'));
  mkdirSync(join(folder, name));
  const contents = { index: Object.keys(files), ...files };
  for (const [file, content] of Object.entries(contents))
    writeFileSync(join(folder, name, `${file}.json`), typeof content === 'string' ? content : JSON.stringify(content));
  return new URL(`${name}/`, pathToFileURL(`${folder}/`));
}

const examples = { matches: ['a b'], ignores: ['c'] };
const rule = { id: 'one', aim: 'override', weight: 'weak', phrases: ['@known'], examples };
const readRules = (file: unknown) => readRuleFiles(writeData('rules', { broken: file }), [{ known: 'word' }]);

describe('broken files of rules', () => {
  test.each([
    ['text that is not JSON', '{', 'rules/broken.json is not JSON'],
    [
      'an unknown weight',
      { rules: [rule, { ...rule, weight: 'huge' }] },
      'rules/broken.json is not valid. rules[1].weight',
    ],
    ['an unknown key', { rules: [{ ...rule, phrase: 'x' }] }, 'rules[0]: Unrecognized key: "phrase"'],
    [
      'a phrase that is not in the notation',
      { rules: [{ ...rule, phrases: ['(a|b'] }] },
      'rules[0].phrases[0]: expected the notation',
    ],
    [
      'a term that is not defined',
      { rules: [{ ...rule, phrases: ['{nothing} a'] }] },
      'rules[0].phrases[0]: expected the notation',
    ],
    ['a rule without phrases', { rules: [{ ...rule, phrases: undefined }] }, 'rules[0]: expected phrases or together'],
    ['a rule without examples', { rules: [{ ...rule, examples: undefined }] }, 'rules[0].examples'],
    [
      'a class that no lexicon has',
      { rules: [{ ...rule, phrases: ['a (b|@other)'] }] },
      'rules[0]: no lexicon has the class "@other"',
    ],
  ])('the error names file and entry: %s', (_, file, message) => {
    const content = typeof file === 'string' ? file : { about: 'test', ...file };
    expect(() => readRules(content)).toThrow(message);
  });
});

test('a rule file replaces {name} by the term of that name', () => {
  const file = { about: 'test', terms: { both: '(a|b)' }, rules: [{ ...rule, phrases: ['{both} ..2 @known'] }] };
  expect(readRules(file).get('broken')?.rules[0]?.phrases).toEqual(['(a|b) ..2 @known']);
});

const lexicon = {
  language: 'Test',
  about: 'test',
  classes: { drop: ['one two*', 'three_four'] },
  examples: { attempts: [{ text: 'one', rule: 'one' }], harmless: ['two'] },
};

describe('broken lexicons', () => {
  test.each([
    [
      'a * inside of a word',
      { ...lexicon, classes: { drop: ['one', 't*wo'] } },
      'lexicon/broken.json is not valid. classes.drop[1]',
    ],
    ['two spaces in a row', { ...lexicon, classes: { drop: ['one  two'] } }, 'classes.drop[0]'],
    ['two languages', { ...lexicon, language: 'Test, Other' }, 'language: expected the name of one language'],
    ['a class without words', { ...lexicon, classes: { drop: [] } }, 'classes.drop'],
  ])('the error names file and entry: %s', (_, file, message) => {
    expect(() => readDataFolder(writeData('lexicon', { broken: file }), lexiconFileSchema)).toThrow(message);
  });
  test('the loader rejects a file that the index does not list', () => {
    const url = writeData('lexicon', { index: ['one'], one: lexicon, two: lexicon });
    expect(() => readDataFolder(url, lexiconFileSchema)).toThrow(
      'lexicon/index.json does not list the files of its folder: see "two"',
    );
  });
  test('the loader rejects a listed file that does not exist', () => {
    const url = writeData('lexicon', { index: ['one', 'two'], one: lexicon });
    expect(() => readDataFolder(url, lexiconFileSchema)).toThrow('see "two"');
  });
});

test('a lexicon joins the lines of a class', () => {
  const files = readDataFolder(writeData('lexicon', { fine: lexicon }), lexiconFileSchema);
  expect(files.get('fine')?.classes).toEqual({ drop: 'one two* three_four' });
});
