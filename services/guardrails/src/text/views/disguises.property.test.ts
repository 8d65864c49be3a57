// Tests that the places at which a disguise can be are those of its pattern.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findMatches } from '../find-matches.ts';
import { FINDERS } from './disguises.ts';
import { scanText } from './scanned-text.ts';

const piece = fc.constantFrom(
  ...'i|g|ig|n0|1|the|of|the of|of the|is it|eht|uoy|ſ|K|é|\u{1d422}|.|-|--|----|\n|_|+|@|$|!|©|\u{1f600}|\ufe0f|a+b1|+a1|4ll|rul3s|—|\u0301|½'.split(
    '|',
  ),
  ' ',
  '|',
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('the finder of a disguise', () => {
  test.each(Object.entries(FINDERS))('finds what its pattern finds: %s', (_, { find, pattern }) => {
    let count = 0;
    fc.assert(
      fc.property(text, (some) => {
        const everywhere = findMatches(some, new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`));
        const list = (matches: readonly RegExpExecArray[]) => matches.map(({ 0: found, index }) => `${index} ${found}`);
        expect(list(find(scanText(some)))).toEqual(list(everywhere));
        count += everywhere.length;
      }),
      { seed: 10, numRuns: 3_000 },
    );
    expect(count).toBeGreaterThan(20);
  });
});
