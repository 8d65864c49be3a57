import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../../testing/any-text.ts';
import { splitText, splitSettled } from './pieces.ts';

const texts = fc.oneof(
  arbitraryText(200),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '中', '.'), maxLength: 200 }),
);

test('a text has the same pieces in every chunking', () => {
  fc.assert(
    fc.property(texts, texts, (head, tail) => {
      const settled = splitSettled(head);
      const inTwo = [...splitText(head.slice(0, settled)), ...splitText(head.slice(settled) + tail)];
      expect(inTwo).toEqual([...splitText(head + tail)]);
    }),
    { seed: 8, numRuns: 1_000 },
  );
});

test('each piece has at most 32 code units and splits no surrogate pair, and the pieces form the whole text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const pieces = [...splitText(text)];
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= 32)).toBe(true);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(text.isWellFormed());
    }),
    { seed: 8, numRuns: 1_000 },
  );
});
