import { describe, expect, test } from 'vitest';
import { splitChunks, countDeltas, buildPlainReply } from './reply.ts';

describe('chunks of a reply', () => {
  test.each([1, 2, 3, 7, 100])('chunks of %i code points join to the text and split no surrogate pair', (size) => {
    for (const text of ['', 'abcdefg', 'a😀b😀😀c', '😀'.repeat(20), 'lone \uD800 half', 'e\u0301 combined']) {
      const pieces = [...splitChunks(text, size)];
      expect(pieces.join('')).toBe(text);
      expect(pieces.slice(0, -1).every((piece) => Array.from(piece).length === size)).toBe(true);
      expect(pieces.length).toBe(Math.ceil(Array.from(text).length / size));
    }
  });

  test('countDeltas counts the chunks without creating them', () => {
    const reply = {
      ...buildPlainReply('a😀b😀😀c', [{ name: 'n', arguments: '{"a":1}' }]),
      reasoning: 'xyz',
      chunkSize: 2,
    };
    expect(countDeltas(reply)).toBe(2 + 3 + 4);
  });
});
