// The English of the whole repository stays within its budgets.
import { expect, test } from 'vitest';
import { PROSE_KINDS } from './collect-prose.ts';
import { findProseProblems, measureProse } from './measure-prose.ts';
import { readProse } from './read-prose.ts';

const pieces = readProse();

test('every kind of prose is found', () => {
  expect(measureProse(pieces).map(({ kind }) => kind)).toEqual(expect.arrayContaining([...PROSE_KINDS]));
});

test('every kind of prose stays within the word budgets', () => {
  expect(findProseProblems(pieces)).toEqual([]);
});
