// Whatever the network does to the live batches, and however far behind the log is: a reader ends up with what counts of the run,
// in order, each chunk once, and asks no more often than there is something to be had.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  comparePositions,
  hasGap,
  mergeLive,
  mergeReplay,
  startMerge,
  type Batch,
  type PositionedChunk,
} from './chunk-merge.ts';
import { counting, historyOf, replayOf, type Published } from './testing/run-history.ts';

const owner = fc.record({
  says: fc.array(fc.oneof({ weight: 5, arbitrary: fc.constant('word') }, { weight: 1, arbitrary: fc.nat(6) }), {
    maxLength: 20,
  }),
  unlogged: fc.nat(4),
});
const history = fc
  .tuple(
    fc.array(owner, { minLength: 1, maxLength: 4 }),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  )
  .map(([owners, bases]) => historyOf(owners, bases));

/** What the reader meets: a live batch from somewhere in the history, or its own question while the log is so far. */
const encounter = fc.record({
  at: fc.nat(100),
  length: fc.integer({ min: 1, max: 8 }),
  live: fc.boolean(),
  page: fc.integer({ min: 1, max: 30 }),
});

const liveBatch = (published: readonly Published[], at: number, length: number): Batch | undefined => {
  const first = published[at % published.length];
  if (!first) return undefined;
  const own = published.slice(at % published.length).filter(({ epoch }) => epoch === first.epoch);
  return { epoch: first.epoch, index: first.index, chunks: own.slice(0, length).map(({ chunk }) => chunk) };
};

test('gives what counts of the run, through losses, duplicates, reordering and changes of owner', () => {
  fc.assert(
    fc.property(
      history,
      fc.array(encounter, { maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      (published, met, page) => {
        let merge = startMerge();
        const given: PositionedChunk[] = [];
        const take = (step: ReturnType<typeof mergeLive>) => {
          merge = step.merge;
          given.push(...step.accepted);
          return step.accepted.length > 0;
        };
        for (const { at, length, live, page: size } of met) {
          const batch = liveBatch(published, at, length);
          if (!live) take(mergeReplay(merge, replayOf(published, merge.next, at, size)));
          else if (batch) take(mergeLive(merge, batch));
        }
        // In the end all is logged. A page may hold nothing but retracted chunks: the position still goes on.
        for (let asked = 0; !merge.ended; asked += 1) {
          const before = merge.next;
          take(mergeReplay(merge, replayOf(published, merge.next, published.length, page)));
          expect(comparePositions(merge.next, before)).not.toBe(0);
          expect(asked).toBeLessThan(published.length + 1);
        }
        const ordered = given.every((chunk, n) => n === 0 || comparePositions(chunk, given[n - 1] ?? chunk) > 0);
        expect(ordered).toBe(true);
        expect(hasGap(merge)).toBe(false);
        const plain = published.map(({ epoch, index, chunk }) => ({ epoch, index, chunk }));
        expect(counting(given)).toEqual(counting(plain));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('needs no replay where the live batches of one owner come complete, in whatever order', () => {
  fc.assert(
    fc.property(owner, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 5 }), ({ says }, keys, size) => {
      const published = historyOf([{ says, unlogged: 0 }], []);
      const batches: { batch: Batch; key: number }[] = [];
      for (let at = 0; at < published.length; at += size) {
        const batch = liveBatch(published, at, size);
        const key = keys.next().value;
        if (batch && typeof key === 'number') batches.push({ batch, key });
      }
      let merge = startMerge();
      const given: PositionedChunk[] = [];
      for (const { batch } of batches.toSorted((a, b) => a.key - b.key)) {
        const step = mergeLive(merge, batch);
        merge = step.merge;
        given.push(...step.accepted);
      }
      expect(merge.ended).toBe(true);
      expect(given).toEqual(published.map(({ epoch, index, chunk }) => ({ epoch, index, chunk })));
    }),
  );
});
