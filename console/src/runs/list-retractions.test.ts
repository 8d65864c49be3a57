import { expect, test } from 'vitest';
import { listRetractions } from './list-retractions.ts';

test.each([
  ['no chunk', [], []],
  ['consecutive chunks', [0, 1, 2], []],
  ['two retractions', [0, 1, 5, 6, 9], [2, 4]],
])('The retractions of %s are at the missing indexes', (_name, indexes, expected) => {
  expect([...listRetractions(indexes.map((index) => ({ index })))]).toEqual(expected);
});
