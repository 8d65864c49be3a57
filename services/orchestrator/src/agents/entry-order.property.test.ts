// Whatever a list says of its order: either all of it holds, or the list is refused.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderEntries, type Placed } from './entry-order.ts';

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
  .map((entries): Placed[] => entries.map((entry, at) => ({ ...entry, path: `input[${at}]` })));

function namedBy(entries: readonly Placed[], self: Placed, name: string): Placed[] {
  const others = entries.filter((entry) => entry !== self);
  const exact = others.filter((entry) => entry.name === name);
  return exact.length > 0 ? exact : others.filter((entry) => entry.processor === name);
}

test('an order holds everything that a list says, or refuses it', () => {
  fc.assert(
    fc.property(list, (entries) => {
      const { ordered, issues } = orderEntries('input', entries);
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
      const free = (all: readonly Placed[]) =>
        all.filter(({ after, before }) => after === undefined && before === undefined);
      expect(free(ordered)).toEqual(free(entries));
    }),
    { numRuns: 2_000 },
  );
});

test('any list is ordered that names only what comes without conditions, one condition an entry', () => {
  const free = ['a', 'b', 'c'];
  const placed = fc.array(fc.record({ target: fc.constantFrom(...free), side: fc.constantFrom('after', 'before') }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(placed, (conditions) => {
      const entries: Placed[] = [
        ...free.map((name) => ({ name, processor: name, path: name })),
        ...conditions.map(({ target: to, side }, at) => ({ name: `x${at}`, processor: 'x', path: '', [side]: to })),
      ];
      expect(orderEntries('input', entries).issues).toEqual([]);
    }),
  );
});
