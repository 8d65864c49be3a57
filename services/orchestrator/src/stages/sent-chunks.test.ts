import { describe, expect, test } from 'vitest';
import { words } from '../testing/session-replica.ts';
import { textOf } from '../testing/chunks.ts';
import { createSentChunks } from './sent-chunks.ts';

const sentOf = (count: number) => {
  const chunks = createSentChunks();
  chunks.sent(words(count));
  return chunks;
};

describe('a chunk that was sent', () => {
  test('can be named by its place, with those after it', () => {
    const chunks = sentOf(5);
    expect(textOf(chunks.named({ from: 1, count: 3 }) ?? [])).toBe('1 2 3 ');
    chunks.sent(words(2, 5));
    expect(textOf(chunks.named({ from: 4, count: 3 }) ?? [])).toBe('4 5 6 ');
  });

  test('cannot be named twice, nor out of order', () => {
    const chunks = sentOf(5);
    chunks.named({ from: 1, count: 2 });
    expect(chunks.named({ from: 2, count: 1 })).toBeUndefined();
    expect(chunks.named({ from: 0, count: 1 })).toBeUndefined();
    expect(chunks.named({ from: 3, count: 2 })).toHaveLength(2);
  });

  test('cannot be named when it is done with, and places stay what they were', () => {
    const chunks = sentOf(5);
    chunks.done(3);
    expect(chunks.named({ from: 2, count: 1 })).toBeUndefined();
    expect(textOf(chunks.named({ from: 3, count: 2 }) ?? [])).toBe('3 4 ');
    chunks.done(5);
    chunks.sent(words(1, 5));
    expect(textOf(chunks.named({ from: 5, count: 1 }) ?? [])).toBe('5 ');
  });

  test.each([
    { from: 0, count: 6 },
    { from: 5, count: 1 },
    { from: 1_000_000, count: 1_000_000_000 },
  ])('is one of those that there are: $from and $count more are refused', (range) => {
    expect(sentOf(5).named(range)).toBeUndefined();
  });
});
