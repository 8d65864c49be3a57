import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { words } from '../testing/session-replica.ts';
import { makeText } from '../testing/chunks.ts';
import { createSessionChunks } from './session-chunks.ts';

const makeSent = (count: number) => {
  const chunks = createSessionChunks();
  const record = (more: readonly Chunk[]) => {
    chunks.push(more);
    chunks.send(more.length);
  };
  record(words(count));
  return { ...chunks, record };
};

describe('a chunk that was sent', () => {
  test('can be named by its position, with those after it', () => {
    const chunks = makeSent(5);
    expect(makeText(chunks.resolveRange({ from: 1, count: 3 }) ?? [])).toBe('1 2 3 ');
    chunks.record(words(2, 5));
    expect(makeText(chunks.resolveRange({ from: 4, count: 3 }) ?? [])).toBe('4 5 6 ');
  });

  test('cannot be named twice, nor out of order', () => {
    const chunks = makeSent(5);
    chunks.resolveRange({ from: 1, count: 2 });
    expect(chunks.resolveRange({ from: 2, count: 1 })).toBeUndefined();
    expect(chunks.resolveRange({ from: 0, count: 1 })).toBeUndefined();
    expect(chunks.resolveRange({ from: 3, count: 2 })).toHaveLength(2);
  });

  test('cannot be named after it was processed, and positions do not move', () => {
    const chunks = makeSent(5);
    chunks.release(3);
    expect(chunks.resolveRange({ from: 2, count: 1 })).toBeUndefined();
    expect(makeText(chunks.resolveRange({ from: 3, count: 2 }) ?? [])).toBe('3 4 ');
    chunks.release(5);
    chunks.record(words(1, 5));
    expect(makeText(chunks.resolveRange({ from: 5, count: 1 }) ?? [])).toBe('5 ');
  });

  test.each([
    { from: 0, count: 6 },
    { from: 5, count: 1 },
    { from: 1_000_000, count: 1_000_000_000 },
  ])('is within bounds: $from and $count more are refused', (range) => {
    expect(makeSent(5).resolveRange(range)).toBeUndefined();
  });

  test('is kept as long as it is needed, and is listed until the replica is done with it', () => {
    const chunks = makeSent(3);
    chunks.push(words(2, 3));
    expect(chunks.resolveRange({ from: 3, count: 1 })).toBeUndefined();
    chunks.release(2, 1);
    expect(chunks.resolveRange({ from: 1, count: 1 })).toBeUndefined();
    expect([makeText(chunks.listSent(1)), makeText(chunks.listPushed(2))]).toEqual(['1 2 ', '2 3 4 ']);
    expect(makeText(chunks.send(9))).toBe('3 4 ');
    chunks.release(5);
    expect([chunks.countSent(), chunks.listPushed(0)]).toEqual([5, []]);
  });
});
