// Tests that the survey, which looks only at some units of a text, sees what a pattern sees that reads all of them.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanText } from './scanned-text.ts';
import { surveyText, type TextMarks } from './survey.ts';

const between = String.raw`[ \t\n\r\v\f,;:.\-|\/\\x\u00b7\u2022\u2013\u2014\u2212]*`;
const PATTERNS: readonly [mark: keyof TextMarks, pattern: RegExp][] = [
  ['lettersApart', /(?<![a-zA-Z0-9@$!|])(?:[a-zA-Z0-9@$!|][^a-zA-Z0-9@$!|]{1,4}){4}[a-zA-Z0-9@$!|](?![a-zA-Z0-9@$!|])/],
  ['hex', new RegExp(`(?:[0-9a-fA-F]${between}){16}`)],
  ['numbers', new RegExp(String.raw`(?:\d${between}){11}`)],
];

const unit = fc.constantFrom(...'aaabexZZ0011 .-,_@|\n(\u00b7\u2022\u2013\u2014\u2212\ufe0f'.split(''));
const run = fc
  .tuple(
    fc.constantFrom('a', 'g', 'AB', '01', 'a ', 'i, ', '1 ', '. ', '-. ', '\u00b7 ', '\u2014. ', 'x', 'ag'),
    fc.integer({ min: 1, max: 26 }),
  )
  .map(([piece, count]) => piece.repeat(count));
const text = fc
  .array(fc.oneof(fc.string({ unit, maxLength: 12 }), run), { maxLength: 8 })
  .map((pieces) => pieces.join(''));

describe('the survey of random texts', () => {
  test.each(PATTERNS)('sees %s where its pattern matches', (mark, pattern) => {
    let seen = 0;
    fc.assert(
      fc.property(text, (some) => {
        const isSeen = surveyText(scanText(some))[mark];
        expect(isSeen).toBe(pattern.test(some));
        if (isSeen) seen += 1;
      }),
      { seed: 11, numRuns: 5_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });
});
