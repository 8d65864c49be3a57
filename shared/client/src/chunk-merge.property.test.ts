// For any losses of live batches and any lag of the log: a reader receives the valid chunks of the run, in order, each
// once, and requests a replay only if one can help.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePositions } from '@millrace/contracts';
import { hasGap, mergeLive, mergeReplay, startMerge, type StoredBatch, type PositionedChunk } from './chunk-merge.ts';
import { counting, buildHistory, replayHistory, type PublishedBatch } from './testing/run-history.ts';

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
  .map(([owners, bases]) => buildHistory(owners, bases));

/** An event of the reader: a live batch of the history, or its own replay request with the log at this length. */
const encounter = fc.record({
  at: fc.nat(100),
  length: fc.integer({ min: 1, max: 8 }),
  live: fc.boolean(),
  page: fc.integer({ min: 1, max: 30 }),
});

const liveBatch = (published: readonly PublishedBatch[], at: number, length: number): StoredBatch | undefined => {
  const first = published[at % published.length];
  if (!first) return undefined;
  const own = published.slice(at % published.length).filter(({ epoch }) => epoch === first.epoch);
  return { epoch: first.epoch, index: first.index, chunks: own.slice(0, length).map(({ chunk }) => chunk) };
};

test('The merge yields the valid chunks of the run after losses, duplicates, reordering and changes of owner', () => {
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
          if (!live) take(mergeReplay(merge, replayHistory(published, merge.next, at, size)));
          else if (batch) take(mergeLive(merge, batch));
        }
        // At the end all chunks are logged. A page may contain only retracted chunks: the position still advances.
        for (let asked = 0; !merge.ended; asked += 1) {
          const before = merge.next;
          take(mergeReplay(merge, replayHistory(published, merge.next, published.length, page)));
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

test('The merge needs no replay if the live batches of one owner arrive completely, in any order', () => {
  fc.assert(
    fc.property(owner, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 5 }), ({ says }, keys, size) => {
      const published = buildHistory([{ says, unlogged: 0 }], []);
      const batches: { batch: StoredBatch; key: number }[] = [];
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
