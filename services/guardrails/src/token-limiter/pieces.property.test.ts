import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/any-text.ts';
import { piecesOf, settledPieces } from './pieces.ts';

const texts = fc.oneof(
  anyText(200),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '中', '.'), maxLength: 200 }),
);

test('the pieces of a text are the same, whatever it is cut into', () => {
  fc.assert(
    fc.property(texts, texts, (head, tail) => {
      const settled = settledPieces(head);
      const inTwo = [...piecesOf(head.slice(0, settled)), ...piecesOf(head.slice(settled) + tail)];
      expect(inTwo).toEqual([...piecesOf(head + tail)]);
    }),
    { seed: 8, numRuns: 1_000 },
  );
});

test('no piece is longer than 32 code units or parts a pair, and nothing is lost', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const pieces = [...piecesOf(text)];
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= 32)).toBe(true);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(text.isWellFormed());
    }),
    { seed: 8, numRuns: 1_000 },
  );
});
