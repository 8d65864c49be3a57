// The names of the repository's functions: all sources are parsed.
import { expect, test } from 'vitest';
import { findNameProblems, isParticiple } from './name-problems.ts';
import { readSources } from './workspace.ts';

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
