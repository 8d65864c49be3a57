import { describe, expect, test } from 'vitest';
import { hasGap, mergeLive, mergeReplay, startMerge, MAX_WAITING_CHUNKS, type ChunkMerge } from './chunk-merge.ts';
import { finish, retract, text } from './testing/run-history.ts';

const words = (...readText: string[]) => readText.map(text);
const batch = (epoch: number, index: number, ...texts: string[]) => ({ epoch, index, chunks: words(...texts) });

/** Feeds live batches and collects the output for a reader. */
function readAll(merge: ChunkMerge, ...batches: ReturnType<typeof batch>[]) {
  const given: string[] = [];
  for (const live of batches) {
    const step = mergeLive(merge, live);
    merge = step.merge;
    given.push(...step.accepted.map(({ epoch, index, chunk }) => `${epoch}/${index} ${makeTextBatch(chunk)}`));
  }
  return { merge, given };
}
const makeTextBatch = (chunk: ReturnType<typeof text>) =>
  chunk.type === 'text-delta' ? chunk.payload.text : chunk.type;

describe('live batches', () => {
  test('Live batches are passed in the order of their indexes', () => {
    const { given, merge } = readAll(startMerge(), batch(1, 0, 'a', 'b'), batch(1, 2, 'c'));
    expect(given).toEqual(['1/0 a', '1/1 b', '1/2 c']);
    expect(merge.next).toEqual({ epoch: 1, index: 3 });
  });

  test('Live batches after a gap wait until it is filled', () => {
    const early = readAll(startMerge(), batch(1, 0, 'a'), batch(1, 2, 'c'));
    expect(early.given).toEqual(['1/0 a']);
    expect(hasGap(early.merge)).toBe(true);
    const filled = readAll(early.merge, batch(1, 1, 'b'));
    expect(filled.given).toEqual(['1/1 b', '1/2 c']);
    expect(hasGap(filled.merge)).toBe(false);
  });

  test('Live batches are passed once, for any duplicates and overlaps', () => {
    const { given } = readAll(startMerge(), batch(1, 0, 'a', 'b'), batch(1, 0, 'a', 'b'), batch(1, 1, 'b', 'c'));
    expect(given).toEqual(['1/0 a', '1/1 b', '1/2 c']);
  });

  test('Live batches of a lower epoch are ignored', () => {
    const { merge } = mergeReplay(startMerge(), { batches: [batch(2, 0, 'new')] });
    const { given, merge: after } = readAll(merge, batch(1, 1, 'old'));
    expect(given).toEqual([]);
    expect(hasGap(after)).toBe(false);
  });

  test('Live batches of a higher epoch wait for the replay, although they start with a retract', () => {
    const { merge } = readAll(startMerge(), batch(1, 0, 'a', 'b', 'c'));
    const jumped = mergeLive(merge, { epoch: 2, index: 1, chunks: [retract(1), text('x')] });
    expect(jumped.accepted).toEqual([]);
    expect(hasGap(jumped.merge)).toBe(true);
  });

  test('Live batches end with the last chunk, and later chunks are ignored', () => {
    const { merge, accepted } = mergeLive(startMerge(), { epoch: 1, index: 0, chunks: [text('a'), finish, text('b')] });
    expect(accepted).toHaveLength(2);
    expect(merge.ended).toBe(true);
    expect(mergeLive(merge, batch(1, 2, 'c')).accepted).toEqual([]);
  });

  test('The number of waiting batches is bounded: the highest positions are dropped first', () => {
    const many = Array.from({ length: MAX_WAITING_CHUNKS }, () => 'x');
    const { merge } = readAll(startMerge(), batch(1, 500_000, ...many), batch(1, 1, 'near'));
    expect(merge.waiting.map(({ index }) => index)).toEqual([1]);
  });

  test('Empty live batches are ignored, also ahead of the known position', () => {
    const { merge, accepted } = mergeLive(startMerge(), { epoch: 7, index: 99, chunks: [] });
    expect(accepted).toEqual([]);
    expect(hasGap(merge)).toBe(false);
  });
});

describe('a replay', () => {
  test('A replay may omit retracted chunks: a jump of its indexes is no gap', () => {
    const { merge, accepted } = mergeReplay(startMerge(), {
      batches: [batch(1, 0, 'a'), { epoch: 1, index: 5, chunks: [retract(1), text('b')] }],
    });
    expect(accepted.map(({ index }) => index)).toEqual([0, 5, 6]);
    expect(merge.next).toEqual({ epoch: 1, index: 7 });
  });

  test('A replay drops chunks from the base of a higher epoch on and is followed by its live batches', () => {
    const { merge } = readAll(startMerge(), batch(1, 0, 'a', 'b', 'c'), batch(2, 3, 'y'));
    const { accepted, merge: after } = mergeReplay(merge, {
      batches: [{ epoch: 2, index: 1, chunks: [retract(1), text('x')] }],
    });
    expect(accepted.map(({ epoch, index }) => [epoch, index])).toEqual([
      [2, 1],
      [2, 2],
      [2, 3],
    ]);
    expect(hasGap(after)).toBe(false);
  });

  test('A late replay repeats nothing that live batches have passed', () => {
    const { merge } = readAll(startMerge(), batch(1, 0, 'a', 'b', 'c'));
    const { accepted, merge: after } = mergeReplay(merge, { batches: [batch(1, 0, 'a', 'b')] });
    expect(accepted).toEqual([]);
    expect(after.next).toEqual({ epoch: 1, index: 3 });
  });
});
