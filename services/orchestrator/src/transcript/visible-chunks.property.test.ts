// A reader's final state is that of a single read at the end, whatever it has seen live and however its requests are
// cut into pages.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  makeHistory,
  makeLog,
  newReader,
  take,
  takeAnswer,
  listRetracted,
  type Placed,
  type Reader,
} from '../testing/chunk-histories.ts';
import { selectVisibleChunks } from './visible-chunks.ts';

const owner = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant('word') }, { weight: 1, arbitrary: fc.nat(8) }), {
  maxLength: 15,
});
const history = fc
  .tuple(
    fc.array(owner, { minLength: 1, maxLength: 4 }),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  )
  .map(([owners, shares]) => makeHistory(owners, shares));

function ask(reader: Reader, log: readonly Placed[], maxBytes: number): { reader: Reader; complete: boolean } {
  const { batches, end, complete } = selectVisibleChunks(
    makeLog(log),
    listRetracted(makeLog(log)),
    reader.next,
    maxBytes,
  );
  return { reader: takeAnswer(reader, batches, end), complete };
}

/** Positions as ordered numbers. */
const comparable = ({ next }: Reader): number => next.epoch * 1_000_000 + next.index;

test('a replay agrees with a single read at the end', () => {
  fc.assert(
    fc.property(
      history,
      fc.array(fc.record({ live: fc.nat(6), logged: fc.nat(60), maxBytes: fc.integer({ min: 1, max: 400 }) })),
      (published, meetings) => {
        let reader = newReader();
        for (const { live, logged, maxBytes } of meetings) {
          // Live chunks that continue its state; a higher epoch requires a replay.
          for (let n = 0; n < live; n++) {
            const { next } = reader;
            const follows = published.find(({ epoch, index }) => epoch === next.epoch && index === next.index);
            if (follows) reader = take(reader, follows);
          }
          ({ reader } = ask(reader, published.slice(0, logged), maxBytes));
        }
        for (let pages = 0, complete = false; !complete; pages++) {
          const before = reader.next;
          ({ reader, complete } = ask(reader, published, 100));
          expect(complete || comparable(reader) > comparable({ ...reader, next: before })).toBe(true);
          expect(pages).toBeLessThanOrEqual(published.length);
        }
        const fresh = ask(newReader(), published, Infinity).reader;
        expect(reader).toEqual(fresh);
        expect(fresh.has).toEqual(published.reduce(take, newReader()).has);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('a replay contains no retract for a fresh reader', () => {
  fc.assert(
    fc.property(history, (published) => {
      const { batches } = selectVisibleChunks(
        makeLog(published),
        listRetracted(makeLog(published)),
        { epoch: 1, index: 0 },
        Infinity,
      );
      expect(batches.flatMap(({ chunks }) => chunks).some(({ type }) => type === 'retract')).toBe(false);
    }),
  );
});
