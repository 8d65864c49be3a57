import { expect, test } from 'vitest';
import { setBounded } from './set-bounded.ts';

test('setBounded deletes the oldest entry above the bound, and an entry that is set again is the newest', () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    setBounded(map, key, value, 2);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
