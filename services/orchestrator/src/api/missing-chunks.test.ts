import type { ChunkBatch, RunStatus } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { text } from '../testing/chunk-histories.ts';
import { areChunksGone } from './missing-chunks.ts';
import type { Base } from './visible-chunks.ts';

const head = (nextIndex: number, status: RunStatus, ...bases: number[]) => ({
  nextIndex,
  status,
  owners: [0, ...bases].map((index, at): Base => ({ epoch: at + 1, index })),
});
const logged = (...positions: [epoch: number, index: number][]): ChunkBatch[] =>
  positions.map(([epoch, index]) => ({ epoch, index, chunks: [text('a'), text('b')] }));
const at = (epoch: number, index: number) => ({ epoch, index });

describe('chunks of a run that is over', () => {
  const over = head(5, 'finished');

  test('are not gone while the log has what is asked for', () => {
    expect(areChunksGone(logged([1, 0], [1, 2]), over, at(1, 0), true)).toBe(false);
    expect(areChunksGone(logged([1, 2]), over, at(1, 3), true)).toBe(false);
  });

  test('are gone at the beginning when the log has forgotten it', () => {
    expect(areChunksGone(logged([1, 2]), over, at(1, 0), true)).toBe(true);
    expect(areChunksGone(logged([1, 2]), over, at(1, 1), true)).toBe(true);
  });

  test('are all gone when the log is empty, but for the last one, which the head has', () => {
    expect(areChunksGone([], over, at(1, 0), true)).toBe(true);
    expect(areChunksGone([], over, at(1, 4), true)).toBe(false);
    expect(areChunksGone([], over, at(1, 5), true)).toBe(false);
  });

  test('with a second owner, what the first one had said after the base is not missed', () => {
    const taken = head(5, 'failed', 2);
    expect(areChunksGone(logged([1, 0], [2, 2]), taken, at(1, 0), true)).toBe(false);
    expect(areChunksGone(logged([1, 0], [2, 2]), taken, at(1, 3), true)).toBe(false);
    expect(areChunksGone(logged([1, 0]), taken, at(1, 0), true)).toBe(false);
    expect(areChunksGone(logged([1, 0]), taken, at(1, 2), true)).toBe(true);
    expect(areChunksGone(logged([2, 2]), taken, at(1, 0), true)).toBe(true);
    expect(areChunksGone(logged([2, 2]), taken, at(2, 2), true)).toBe(false);
  });

  test('whose first owner said nothing that counts is whole with its second one', () => {
    expect(areChunksGone(logged([2, 0]), head(3, 'failed', 0), at(1, 0), true)).toBe(false);
  });
});

describe('chunks of a run that is under way', () => {
  const running = head(0, 'running');

  test('are not gone because they are not logged yet', () => {
    expect(areChunksGone([], running, at(1, 0), false)).toBe(false);
    expect(areChunksGone(logged([1, 0]), running, at(1, 2), false)).toBe(false);
  });

  test('are gone at the beginning of a very long run', () => {
    expect(areChunksGone(logged([1, 4]), running, at(1, 0), false)).toBe(true);
    expect(areChunksGone(logged([1, 4]), running, at(1, 4), false)).toBe(false);
  });
});
