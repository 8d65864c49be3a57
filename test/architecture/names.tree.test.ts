// What the glossary replaced stands in no name of the sources: all of them are parsed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { namesOf, replacedIn, replacedWords } from './words.ts';
import { readSources, root } from './workspace.ts';

const replaced = replacedWords(readFileSync(join(root, 'docs/glossary.md'), 'utf8'));
const say = (where: string, name: string) => {
  const found = replacedIn(name, replaced);
  return found ? [`${where}: "${name}" says "${found.not}"; the glossary has "${found.but}"`] : [];
};

test('no identifier, member or test title says a replaced word', () => {
  // Most names stand in many files: each is looked at once.
  const places = new Map(readSources().flatMap(({ path, text }) => namesOf(path, text).map((name) => [name, path])));
  expect([...places].flatMap(([name, path]) => say(path, name))).toEqual([]);
});
