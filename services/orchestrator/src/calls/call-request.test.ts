import type { ServedProcessor } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { mergeAdjacent } from './call-request.ts';

/** The processors that each replica serves. */
function groups(entries: string[], ...replicas: string[][]): string[][] {
  const together = (one: ServedProcessor, other: ServedProcessor) =>
    replicas.some((served) => served.includes(one.processor) && served.includes(other.processor));
  const plan = entries.map((entry) => planEntry(entry));
  return mergeAdjacent(plan, { isServedTogether: together }).map((group) => group.map(({ entry }) => entry));
}

test('merging: adjacent entries of one replica are one call', () => {
  expect(groups(['a', 'b', 'c'], ['a', 'b', 'c'])).toEqual([['a', 'b', 'c']]);
});

test('merging keeps order: entries that are not adjacent are not merged', () => {
  expect(groups(['a', 'x', 'b'], ['a', 'b'], ['x'])).toEqual([['a'], ['x'], ['b']]);
});

test('merging requires that all members of a group have a replica in common, two by two', () => {
  expect(groups(['a', 'b', 'c'], ['a', 'b'], ['b', 'c'])).toEqual([['a', 'b'], ['c']]);
});

test('merging leaves an entry without a known replica alone', () => {
  expect(groups(['a', 'b'])).toEqual([['a'], ['b']]);
  expect(groups([], ['a'])).toEqual([]);
});
