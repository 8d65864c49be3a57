// The names of the repository: all sources are parsed.
import { expect, test } from 'vitest';
import {
  findNameProblems,
  findTypeProblems,
  findVagueNames,
  findVerblessNames,
  isParticiple,
} from './name-problems.ts';
import { readConsole, readSources, type Source } from './workspace.ts';

test.each(['told', 'judged', 'given', 'paid'])('%s is a participle', (name) => {
  expect(isParticiple(name)).toBe(true);
});

test.each(['listen', 'feed', 'open', 'judgeAll', 'isTold'])('%s is no participle', (name) => {
  expect(isParticiple(name)).toBe(false);
});

test.each([
  ['function usageOf() {}', 'usageOf ends in "Of"'],
  ['const judged = () => 1;', 'judged is a participle'],
])('%s is reported', (source, problem) => {
  expect(findNameProblems('a.ts', source)).toEqual([expect.stringContaining(problem)]);
});

test('no function ends in "Of" or is a bare participle', () => {
  expect(readSources().flatMap(({ path, text }) => findNameProblems(path, text))).toEqual([]);
});

/** The services and packages themselves: helpers of tests may be shorter. */
const isProduct = ({ path }: Source): boolean =>
  /^(?:services|shared|deploy)\//.test(path) && !/\.test\.ts$|\/testing\/|^shared\/testkit\//.test(path);

test.each([
  ['function longestWord() {}', 'longestWord does not begin with a verb'],
  ['const text = (value) => String(value);', 'text does not begin with a verb'],
])('%s is reported, because its name has no verb', (source, problem) => {
  expect(findVerblessNames('a.ts', source)).toEqual([expect.stringContaining(problem)]);
});

test('Verbs, predicates, conversions and capitalized components are accepted as function names', () => {
  const source = 'function findWord() {} const isOpen = () => true; const toText = () => ""; function Page() {}';
  expect(findVerblessNames('a.ts', source)).toEqual([]);
});

test.each([
  'const heard = 1;',
  'type Heard = string;',
  'type A = { isTold: boolean };',
  'const f = (nobodyThere) => 1;',
])('%s is reported, because the name is vague', (source) => {
  expect(findVagueNames('a.ts', source)).toHaveLength(1);
});

test('Every function of the product is named by a verb phrase', () => {
  const products = [...readSources().filter(isProduct), ...readConsole()];
  expect(products.flatMap(({ path, text }) => findVerblessNames(path, text))).toEqual([]);
});

test('No name of the product contains a vague word', () => {
  const products = [...readSources().filter(isProduct), ...readConsole()];
  expect(products.flatMap(({ path, text }) => findVagueNames(path, text))).toEqual([]);
});

test('A type that two sources declare, and one that is a participle, are reported', () => {
  const one = { path: 'a.ts', text: 'type Step = 1; type Judged = 2;' };
  expect(findTypeProblems([one, { path: 'b.ts', text: 'interface Step {}' }])).toEqual([
    'a.ts, b.ts: the type Step is declared more than once',
    'a.ts: the type Judged is a participle; name it by a noun',
  ]);
});

test('Every type of the product has a name of its own, and none is a bare participle', () => {
  expect(findTypeProblems(readSources().filter(isProduct))).toEqual([]);
  expect(findTypeProblems(readConsole())).toEqual([]);
});
