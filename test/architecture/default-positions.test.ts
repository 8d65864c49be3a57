// The default order and the roles of the shipped processors, from their descriptors.
import { SHIPPED_MEMORY, type ListName } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { findProcessors } from '../processor-pages/find-processors.ts';

const found = await findProcessors();
const descriptors = found.map(({ descriptor }) => descriptor);
type Descriptor = (typeof descriptors)[number];
type PlacedList = Exclude<ListName, 'error'>;

const list = (name: PlacedList, matches: (descriptor: Descriptor) => unknown): number[] =>
  descriptors.filter(matches).flatMap(({ positions }) => positions?.[name] ?? []);
/** Returns whether each position of the first list is before each one of the second. */
const isBefore = (first: readonly number[], second: readonly number[]): boolean =>
  first.length > 0 && second.length > 0 && Math.max(...first) < Math.min(...second);
const normalizes = ({ id }: Descriptor) => id === 'unicode-normalizer';
const judges = (descriptor: Descriptor) => descriptor.judgesText && !normalizes(descriptor);
const remembers = ({ memoryKey }: Descriptor) => memoryKey;
const logs = ({ id }: Descriptor) => id === 'run-logger';

test('Shipped input processors add text, then clean it, then judge it, and judge before memory', () => {
  expect(
    isBefore(
      list('input', ({ addsText }) => addsText),
      list('input', normalizes),
    ),
  ).toBe(true);
  expect(isBefore(list('input', normalizes), list('input', judges))).toBe(true);
  expect(isBefore(list('input', judges), list('input', remembers))).toBe(true);
});

test('Shipped output processors judge before memory stores', () => {
  expect(isBefore(list('output', judges), list('output', remembers))).toBe(true);
});

test.each(['input', 'output'] as const)(
  'Each default position in the list %s belongs to one shipped processor, and the last one to the log',
  (name) => {
    const all = list(name, () => true);
    expect(new Set(all).size).toBe(all.length);
    expect(
      isBefore(
        list(name, (descriptor) => !logs(descriptor)),
        list(name, logs),
      ),
    ).toBe(true);
  },
);

test('A processor advertises positions only in the lists of its stages', () => {
  for (const { id, lists, positions = {} } of descriptors)
    expect({ id, lists }).toEqual({ id, lists: expect.arrayContaining(Object.keys(positions)) });
});

test('Each shipped guard of the input advertises that it judges text', () => {
  const guards = found.filter(
    ({ path, descriptor }) => /\/guards\//.test(path) && descriptor.stages.includes('processInput'),
  );
  expect(guards.length).toBeGreaterThan(5);
  expect(guards.filter(({ descriptor }) => !descriptor.judgesText).map(({ path }) => path)).toEqual([]);
});

test('Shipped memory processors advertise the member of `memory` that they implement', () => {
  const keys = descriptors.flatMap(({ id, memoryKey }) => (memoryKey ? [[memoryKey, id]] : []));
  expect(Object.fromEntries(keys)).toEqual(SHIPPED_MEMORY);
});
