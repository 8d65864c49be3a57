import type { ChunkBatch, RunStatus } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { text } from '../testing/chunk-histories.ts';
import { areChunksMissing } from './missing-chunks.ts';
import type { Base } from './visible-chunks.ts';

const head = (nextIndex: number, status: RunStatus, ...bases: number[]) => ({
  nextIndex,
  status,
  owners: [0, ...bases].map((index, at): Base => ({ epoch: at + 1, index })),
});
const readLogged = (...positions: [epoch: number, index: number][]): ChunkBatch[] =>
  positions.map(([epoch, index]) => ({ epoch, index, chunks: [text('a'), text('b')] }));
const at = (epoch: number, index: number) => ({ epoch, index });

describe('chunks of a run that has ended', () => {
  const over = head(5, 'finished');

  test('are available while the log has the requested position', () => {
    expect(areChunksMissing(readLogged([1, 0], [1, 2]), over, at(1, 0), true)).toBe(false);
    expect(areChunksMissing(readLogged([1, 2]), over, at(1, 3), true)).toBe(false);
  });

  test('are missing at the beginning if the log has dropped it', () => {
    expect(areChunksMissing(readLogged([1, 2]), over, at(1, 0), true)).toBe(true);
    expect(areChunksMissing(readLogged([1, 2]), over, at(1, 1), true)).toBe(true);
  });

  test('are all missing if the log is empty, except the last one, which the head has', () => {
    expect(areChunksMissing([], over, at(1, 0), true)).toBe(true);
    expect(areChunksMissing([], over, at(1, 4), true)).toBe(false);
    expect(areChunksMissing([], over, at(1, 5), true)).toBe(false);
  });

  test('with a second owner are complete without those of the first owner after the base', () => {
    const taken = head(5, 'failed', 2);
    expect(areChunksMissing(readLogged([1, 0], [2, 2]), taken, at(1, 0), true)).toBe(false);
    expect(areChunksMissing(readLogged([1, 0], [2, 2]), taken, at(1, 3), true)).toBe(false);
    expect(areChunksMissing(readLogged([1, 0]), taken, at(1, 0), true)).toBe(false);
    expect(areChunksMissing(readLogged([1, 0]), taken, at(1, 2), true)).toBe(true);
    expect(areChunksMissing(readLogged([2, 2]), taken, at(1, 0), true)).toBe(true);
    expect(areChunksMissing(readLogged([2, 2]), taken, at(2, 2), true)).toBe(false);
  });

  test('with a first owner that published nothing that counts are complete with those of the second one', () => {
    expect(areChunksMissing(readLogged([2, 0]), head(3, 'failed', 0), at(1, 0), true)).toBe(false);
  });
});

describe('chunks of an active run', () => {
  const running = head(0, 'running');

  test('are not reported as missing before they are logged', () => {
    expect(areChunksMissing([], running, at(1, 0), false)).toBe(false);
    expect(areChunksMissing(readLogged([1, 0]), running, at(1, 2), false)).toBe(false);
  });

  test('are missing at the beginning of a very long run', () => {
    expect(areChunksMissing(readLogged([1, 4]), running, at(1, 0), false)).toBe(true);
    expect(areChunksMissing(readLogged([1, 4]), running, at(1, 4), false)).toBe(false);
  });
});
