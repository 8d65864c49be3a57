// Every list is either ordered by all of its conditions or refused.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderEntries, type PlacedEntry } from './entry-order.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const target = fc.option(fc.constantFrom(...NAMES, 'shared'), { nil: undefined, freq: 2 });
const list = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record({
          name: fc.constant(name),
          processor: fc.constantFrom(name, 'shared'),
          after: target,
          before: target,
        }),
      ),
    ),
  )
  .map((entries): PlacedEntry[] => entries.map((entry, at) => ({ ...entry, path: `input[${at}]` })));

function namedBy(entries: readonly PlacedEntry[], self: PlacedEntry, name: string): PlacedEntry[] {
  const others = entries.filter((entry) => entry !== self);
  const exact = others.filter((entry) => entry.name === name);
  return exact.length > 0 ? exact : others.filter((entry) => entry.processor === name);
}

test('an order meets every condition of a list, or the list is refused', () => {
  fc.assert(
    fc.property(list, (entries) => {
      const { ordered, issues } = orderEntries('input', entries, new Map());
      expect(new Set(ordered)).toEqual(new Set(entries));
      expect(ordered).toHaveLength(entries.length);
      if (issues.length > 0) return;
      for (const entry of ordered) {
        const at = ordered.indexOf(entry);
        for (const other of entry.after === undefined ? [] : namedBy(entries, entry, entry.after))
          expect(ordered.indexOf(other)).toBeLessThan(at);
        for (const other of entry.before === undefined ? [] : namedBy(entries, entry, entry.before))
          expect(ordered.indexOf(other)).toBeGreaterThan(at);
      }
      const free = (all: readonly PlacedEntry[]) =>
        all.filter(({ after, before }) => after === undefined && before === undefined);
      expect(free(ordered)).toEqual(free(entries));
    }),
    { numRuns: 2_000 },
  );
});

test('a list is ordered if each entry has one condition and names only entries without conditions', () => {
  const free = ['a', 'b', 'c'];
  const placed = fc.array(fc.record({ target: fc.constantFrom(...free), side: fc.constantFrom('after', 'before') }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(placed, (conditions) => {
      const entries: PlacedEntry[] = [
        ...free.map((name) => ({ name, processor: name, path: name })),
        ...conditions.map(({ target: to, side }, at) => ({ name: `x${at}`, processor: 'x', path: '', [side]: to })),
      ];
      expect(orderEntries('input', entries, new Map()).issues).toEqual([]);
    }),
  );
});
