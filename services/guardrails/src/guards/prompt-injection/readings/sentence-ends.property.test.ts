// Tests that the search around a span finds the ends that the whole text has in it.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEndSearch, findSentenceEnds, isAcrossEnd } from './sentence-ends.ts';

const piece = fc.constantFrom(
  'Wash the salad',
  'a',
  'be',
  '.',
  '?',
  ';',
  '!',
  '..."',
  '.)',
  ' ',
  ' ',
  '\n',
  '\u3002',
  '\uff01',
  '\u061f ',
  '\u8bf7\u9605',
  '. Then',
  '. then',
  '\ud83d\ude00',
  '\u2019 ',
  'word '.repeat(30),
  'x'.repeat(190),
  ' '.repeat(260),
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('the search around a span finds an end inside of it if the whole text has one there', () => {
  let [inside, outside] = [0, 0];
  fc.assert(
    fc.property(
      text,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 120 })), { maxLength: 4 }),
      (some, spans) => {
        const ends = findSentenceEnds(some);
        const hasEnd = createEndSearch(some);
        for (const [place, length] of spans) {
          const start = place % (some.length + 1);
          const span = { start, end: start + length };
          const isInside = isAcrossEnd(span, ends);
          expect(hasEnd(span)).toBe(isInside);
          expect(createEndSearch(some.padEnd(4_000))(span)).toBe(
            isAcrossEnd(span, findSentenceEnds(some.padEnd(4_000))),
          );
          if (isInside) inside += 1;
          else outside += 1;
        }
      },
    ),
    { seed: 14, numRuns: 3_000 },
  );
  expect(Math.min(inside, outside)).toBeGreaterThan(100);
});
