// The parser and the measure of the prose, on planted texts.
import { describe, expect, test } from 'vitest';
import { collectPageProse, collectSourceProse } from './collect-prose.ts';
import { findProseProblems, measureProse } from './measure-prose.ts';

const collect = (text: string, path = 'services/a/src/a.ts') =>
  collectSourceProse(path, text).map((piece) => `${piece.kind}: ${piece.text}`);

describe('collectSourceProse', () => {
  test.each([
    ['// A comment\n', 'comments: A comment'],
    ['/** A docstring */\n', 'comments: A docstring'],
    ["test('a title of a test', () => 1);", 'test titles: a title of a test'],
    ["test.each([1])('a title %s', () => 1);", 'test titles: a title %s'],
    ["z.string().describe('Maximum number of letters.');", 'option descriptions: Maximum number of letters.'],
    ["const a = { description: 'Maximum ' + 'number' };", 'option descriptions: Maximum number'],
    ["deps.log.warn({ a: 1 }, 'retry later');", 'log lines: retry later'],
    ["throw new Error('the queue is full');", 'errors and remedies: the queue is full'],
    ['throw new Error(`the queue ${name} is full`);', 'errors and remedies: the queue  NAME  is full'],
  ])('finds the prose of %j', (source, expected) => {
    expect(collect(source)).toContain(expected);
  });

  test('assigns the strings of the command line to its output', () => {
    expect(collect("print('Usage of the command');", 'shared/cli/src/a.ts')).toEqual([
      'CLI output: Usage of the command',
    ]);
  });

  test.each([
    ['strings of tests', "const a = 'some data of a test';", 'services/a/src/a.test.ts'],
    ['names and fragments', "const a = 'two words';", 'services/a/src/a.ts'],
    ['directives', '// oxlint-disable-next-line no-console -- a reason\n', 'services/a/src/a.ts'],
    ['SQL statements', "const a = 'SELECT body FROM messages WHERE id = ?';", 'services/a/src/a.ts'],
    ['code spans, quotations and codes', '// `who` "says" nobody-there\n', 'services/a/src/a.ts'],
  ])('omits %s', (_kind, source, path) => {
    expect(collect(source, path)).toEqual([]);
  });

  test('rejects a text that is not TypeScript', () => {
    expect(() => collect('const = ;')).toThrow('services/a/src/a.ts');
  });
});

test('collectPageProse omits code blocks, code spans and link targets', () => {
  const page = '# Title\n```\nnobody\n```\nA [link](who.md) and `whoever`.\n';
  expect(collectPageProse('a.md', page).map(({ text }) => text)).toEqual(['# Title\n\nA [link] and  .']);
});

describe('findProseProblems', () => {
  const words = (count: number, more = '') => [
    { kind: 'docs' as const, path: 'a.md', text: 'word '.repeat(count) + more },
  ];

  test.each(['nobody', 'says', 'stands', 'anew', 'what'])('reports %j above its budget with the file', (word) => {
    expect(findProseProblems(words(1_000, `${word} `.repeat(4)))).toEqual([expect.stringContaining('a.md (4)')]);
  });

  test('accepts words within the budget', () => {
    expect(findProseProblems(words(10_000, 'says '.repeat(4)))).toEqual([]);
  });

  test('reports conditions that begin with "where"', () => {
    expect(findProseProblems(words(100, 'where where if'))).toEqual([expect.stringContaining('"where" 2')]);
  });

  test('measures each kind by itself', () => {
    expect(measureProse([...words(3), { kind: 'comments', path: 'a.ts', text: 'one two' }])).toMatchObject([
      { kind: 'docs', words: 3 },
      { kind: 'comments', words: 2 },
    ]);
  });
});
