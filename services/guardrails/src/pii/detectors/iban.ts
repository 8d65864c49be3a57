// International bank account numbers (ISO 13616), in one go or in groups with whatever is no word between: a country that has them,
// its length, and the check digits (ISO 7064, mod 97). The check digits that some countries have inside are not looked at: a number
// with a slip in those is still somebody's.
import { ibanLength } from '../iban-countries.ts';
import type { Detector } from '../pii-types.ts';

const head = /(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}/g;
const character = /[A-Za-z0-9]/;
const separator = /[\s.,;_|*"'/-]/;
/** Separators between two groups. */
const MAX_GAP = 3;

export const iban: Detector = {
  type: 'iban',
  detect: ({ text }) =>
    [...text.matchAll(head)].flatMap((match) => {
      const length = ibanLength(match[1] ?? '');
      const taken = length === undefined ? undefined : take(text, match.index, length);
      if (!taken || character.test(text.charAt(taken.end)) || !hasCheckDigits(taken.compact)) return [];
      return [{ type: 'iban' as const, start: match.index, end: taken.end }];
    }),
};

/** The first `length` letters and digits: what follows in the text may look like one more group. */
function take(text: string, start: number, length: number): { compact: string; end: number } | undefined {
  let compact = '';
  let gap = 0;
  for (let at = start; at < text.length; at++) {
    const found = text.charAt(at);
    if (character.test(found)) {
      compact += found.toUpperCase();
      gap = 0;
    } else if (!separator.test(found) || (gap += 1) > MAX_GAP) return undefined;
    if (compact.length === length) return { compact, end: at + 1 };
  }
  return undefined;
}

function hasCheckDigits(compact: string): boolean {
  let rest = 0;
  for (const found of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(found, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
