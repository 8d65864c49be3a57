// One word, one meaning: what the glossary replaced stands in no name, no file name, no heading and no test title.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { headingsOf, namesOf, replacedIn, replacedWords, wordsOf } from './words.ts';
import { readSources, root } from './workspace.ts';

const replaced = replacedWords(readFileSync(join(root, 'docs/glossary.md'), 'utf8'));
const say = (where: string, name: string) => {
  const found = replacedIn(name, replaced);
  return found ? [`${where}: "${name}" says "${found.not}"; the glossary has "${found.but}"`] : [];
};

test.each([
  ['mergeNeighbours', 'neighbour'],
  ['BEAT_MS', 'beat'],
  ['chunk-outlet.ts', 'outlet'],
  ['the foreign words of a provider', 'foreign words'],
])('a planted %s is found', (name, not) => {
  expect(replacedIn(name, replaced)?.not).toBe(not);
});

test.each(['sendHeartbeat', 'HEARTBEAT_MS', 'silentOutput'])('%s is fine', (name) => {
  expect(replacedIn(name, replaced)).toBeUndefined();
});

test('names and titles are read from the syntax, headings from Markdown', () => {
  expect(namesOf('a.ts', "test('a title', () => { x.member = { field: 1 }; });")).toEqual(
    expect.arrayContaining(['a title', 'member', 'field']),
  );
  expect(headingsOf('# One\n```\n# no heading\n```\n## Two words\n')).toEqual(['One', 'Two words']);
  expect(wordsOf('aBadName_ofMINE')).toBe('a bad name of mine');
});

test('no file name and no heading says a replaced word', () => {
  const files = readSources().flatMap(({ path }) => say(path, basename(path)));
  const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md', '{shared,services}/*/*.md'], { cwd: root });
  expect(pages.length).toBeGreaterThan(5);
  const headings = pages.flatMap((page) =>
    headingsOf(readFileSync(join(root, page), 'utf8')).flatMap((heading) => say(page, heading)),
  );
  expect([...files, ...headings]).toEqual([]);
});
