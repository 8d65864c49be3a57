import type { ChunkBatch, Position } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { retract, listRetracted, text } from '../testing/chunk-histories.ts';
import { selectVisibleChunks as visible } from './visible-chunks.ts';

const start: Position = { epoch: 1, index: 0 };
const MANY_BYTES = 1_000_000;
const batch = (epoch: number, index: number, ...chunks: ChunkBatch['chunks']): ChunkBatch => ({ epoch, index, chunks });
const words = (...all: string[]) => all.map(text);
const visibleChunks = (logged: ChunkBatch[], from: Position, maxBytes: number) =>
  visible(logged, listRetracted(logged), from, maxBytes);
const show = (batches: readonly ChunkBatch[]) =>
  batches.flatMap(({ epoch, index, chunks }) =>
    chunks.map((chunk, at) => {
      const payload = Object(chunk['payload']);
      return `${epoch}.${index + at} ${chunk.type === 'retract' ? `retract ${payload.index}` : payload.text}`;
    }),
  );
const showSeen = (logged: ChunkBatch[], from: Position = start) =>
  show(visibleChunks(logged, from, MANY_BYTES).batches);

describe('the replay of a run with one owner', () => {
  const log = [batch(1, 0, ...words('a', 'b')), batch(1, 2, ...words('c', 'd'))];

  test('is complete from the start, gathered into one batch', () => {
    expect(visibleChunks(log, start, MANY_BYTES)).toEqual({
      batches: [batch(1, 0, ...words('a', 'b', 'c', 'd'))],
      end: { epoch: 1, index: 4 },
      complete: true,
    });
  });

  test('starts at any position', () => {
    expect(showSeen(log, { epoch: 1, index: 3 })).toEqual(['1.3 d']);
  });

  test('is empty after its end: the answer ends at the requested position', () => {
    const from = { epoch: 1, index: 4 };
    expect(visibleChunks(log, from, MANY_BYTES)).toEqual({ batches: [], end: from, complete: true });
    expect(visibleChunks([], start, MANY_BYTES)).toEqual({ batches: [], end: start, complete: true });
  });

  test('counts a message once that was stored twice', () => {
    expect(showSeen([...log, ...log])).toEqual(['1.0 a', '1.1 b', '1.2 c', '1.3 d']);
  });
});

describe('the replay of retracted chunks', () => {
  const log = [batch(1, 0, ...words('a', 'b', 'c'), retract(1), ...words('d'))];

  test('omits them and the retract for a reader that has none of them, and covers them all the same', () => {
    const { batches, end } = visibleChunks(log, start, MANY_BYTES);
    expect(show(batches)).toEqual(['1.0 a', '1.4 d']);
    expect(end).toEqual({ epoch: 1, index: 5 });
    expect(showSeen(log, { epoch: 1, index: 1 })).toEqual(['1.4 d']);
  });

  test('retracts them for a reader that has them', () => {
    expect(showSeen(log, { epoch: 1, index: 2 })).toEqual(['1.3 retract 1', '1.4 d']);
  });

  test('covers them even if no later chunk counts', () => {
    const { batches, end, complete } = visibleChunks([batch(1, 0, ...words('a', 'b'), retract(0))], start, MANY_BYTES);
    expect({ batches, end, complete }).toEqual({ batches: [], end: { epoch: 1, index: 3 }, complete: true });
  });

  test('keeps them retracted if their retract is itself retracted', () => {
    const twice = [batch(1, 0, ...words('a', 'b', 'c'), retract(1), ...words('d'), retract(3), ...words('e'))];
    expect(showSeen(twice)).toEqual(['1.0 a', '1.6 e']);
    expect(showSeen(twice, { epoch: 1, index: 3 })).toEqual(['1.3 retract 1', '1.6 e']);
  });
});

describe('the replay of a run with a new owner', () => {
  const log = [batch(1, 0, ...words('a', 'b', 'c', 'd')), batch(2, 2, retract(2), ...words('e'))];

  test('continues at its base: later chunks of the old owner do not count', () => {
    expect(showSeen(log)).toEqual(['1.0 a', '1.1 b', '2.3 e']);
  });

  test('retracts from a reader that has more', () => {
    expect(showSeen(log, { epoch: 1, index: 4 })).toEqual(['2.2 retract 2', '2.3 e']);
    expect(showSeen(log, { epoch: 1, index: 3 })).toEqual(['2.2 retract 2', '2.3 e']);
  });

  test('retracts nothing from a reader at its base', () => {
    expect(showSeen(log, { epoch: 1, index: 2 })).toEqual(['2.3 e']);
  });

  test('does not announce it in an answer with chunks of the old one only: the answer ends in the old epoch', () => {
    expect(visibleChunks(log.slice(0, 1), start, MANY_BYTES).end).toEqual({ epoch: 1, index: 4 });
  });

  test('is not disturbed by late messages of the old one', () => {
    expect(showSeen([...log, batch(1, 4, ...words('late'))])).toEqual(['1.0 a', '1.1 b', '2.3 e']);
    expect(showSeen([...log, batch(1, 4, ...words('late'))], { epoch: 2, index: 4 })).toEqual([]);
  });

  test('at the very start keeps nothing of the old one', () => {
    expect(showSeen([batch(1, 0, ...words('a')), batch(2, 0, retract(0), ...words('b'))])).toEqual(['2.1 b']);
  });
});

describe('a page of a replay', () => {
  const log = [batch(1, 0, ...words('a', 'b', 'c', 'd', 'e')), batch(2, 3, retract(3), ...words('f'))];
  const countBytes = (count: number) => JSON.stringify(text('a')).length * count;

  test('ends after its last chunk, in that chunk’s epoch', () => {
    const { batches, end, complete } = visibleChunks(log, start, countBytes(2));
    expect(show(batches)).toEqual(['1.0 a', '1.1 b']);
    expect({ end, complete }).toEqual({ end: { epoch: 1, index: 2 }, complete: false });
  });

  test('is followed by the next one, up to the end', () => {
    const { batches, end, complete } = visibleChunks(log, { epoch: 1, index: 2 }, countBytes(2));
    expect(show(batches)).toEqual(['1.2 c', '2.4 f']);
    expect({ end, complete }).toEqual({ end: { epoch: 2, index: 5 }, complete: true });
  });

  test('has at least one chunk, however large', () => {
    expect(show(visibleChunks(log, start, 1).batches)).toEqual(['1.0 a']);
  });
});
