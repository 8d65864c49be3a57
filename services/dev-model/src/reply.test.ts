import { describe, expect, test } from 'vitest';
import { chunked, deltaCount, plainReply } from './reply.ts';

describe('chunks of a text', () => {
  test.each([1, 2, 3, 7, 100])('of %i code points join to the text again and part no pair', (size) => {
    for (const text of ['', 'abcdefg', 'a😀b😀😀c', '😀'.repeat(20), 'lone \uD800 half', 'e\u0301 combined']) {
      const pieces = [...chunked(text, size)];
      expect(pieces.join('')).toBe(text);
      expect(pieces.slice(0, -1).every((piece) => Array.from(piece).length === size)).toBe(true);
      expect(pieces.length).toBe(Math.ceil(Array.from(text).length / size));
    }
  });

  test('are counted without making them', () => {
    const reply = { ...plainReply('a😀b😀😀c', [{ name: 'n', arguments: '{"a":1}' }]), reasoning: 'xyz', chunkSize: 2 };
    expect(deltaCount(reply)).toBe(2 + 3 + 4);
  });
});
