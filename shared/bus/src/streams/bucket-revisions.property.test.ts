// Whatever this process writes, and however far the watch is behind, an entry has the newest revision that one of the two has had.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRevisions, takeDelivered, takeOwn } from './bucket-revisions.ts';

type Change = { key: string; revision: number; value: number | undefined };
const keys = fc.constantFrom('a', 'b', 'c');
/** A change of the bucket, by this process or another one, and the number of changes that the watch delivers after it. */
const steps = fc.array(fc.record({ key: keys, isRemoval: fc.boolean(), isOwn: fc.boolean(), delivered: fc.nat(4) }), {
  maxLength: 40,
});

test('An entry is that of the newest revision that was written here or delivered', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const state = createRevisions<number>();
      const pending: Change[] = [];
      const newest = new Map<string, Change>();
      const learn = (change: Change) => {
        if ((newest.get(change.key)?.revision ?? 0) < change.revision) newest.set(change.key, change);
      };
      const expectNewest = () => {
        for (const key of ['a', 'b', 'c']) {
          const { value, revision = 0 } = newest.get(key) ?? {};
          expect(state.entries.get(key)).toEqual(value === undefined ? undefined : { value, revision });
        }
      };
      const deliver = () => {
        const change = pending.shift();
        if (!change) return;
        const isNews = (newest.get(change.key)?.revision ?? 0) <= change.revision;
        expect(takeDelivered(state, change.key, change.revision, change.value)).toBe(isNews);
        learn(change);
        expectNewest();
      };
      for (const [at, { key, isRemoval, isOwn, delivered }] of script.entries()) {
        const change = { key, revision: at + 1, value: isRemoval ? undefined : at };
        pending.push(change);
        if (isOwn) {
          takeOwn(state, key, change.revision, change.value);
          learn(change);
          expectNewest();
        }
        for (let count = 0; count < delivered; count += 1) deliver();
      }
      while (pending.length > 0) deliver();
      expect(state.removals.size).toBe(0);
    }),
  );
});

test('A write that is reported after the watch has delivered its removal adds nothing', () => {
  const state = createRevisions<number>();
  takeDelivered(state, 'a', 1, 7);
  takeDelivered(state, 'a', 2);
  takeOwn(state, 'a', 1, 7);
  expect(state.entries.size).toBe(0);
});
