// International bank account numbers (ISO 13616), without separators or in groups separated by anything except words:
// checks the country, its length and the check digits (ISO 7064, mod 97). It ignores the national check digits, because
// a number with an error in those can still be a real account.
import type { Detector } from '../pii-types.ts';
import { getCountrySpecifications } from 'ibantools';

const head = /(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}/g;
const character = /[A-Za-z0-9]/;
const separator = /[\s.,;_|*"'/-]/;
/** Maximum number of separators between two groups. */
const MAX_GAP = 3;

export const iban: Detector = {
  type: 'iban',
  detect: ({ text }) =>
    [...text.matchAll(head)].flatMap((match) => {
      const length = getIbanLength(match[1] ?? '');
      const taken = length === undefined ? undefined : take(text, match.index, length);
      if (!taken || character.test(text.charAt(taken.end)) || !hasCheckDigits(taken.compact)) return [];
      return [{ type: 'iban' as const, start: match.index, end: taken.end }];
    }),
};

/** Takes the first `length` letters and digits, because the following text may look like one more group. */
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

/** The length of an IBAN by country, from the SWIFT registry through ibantools. */
const lengths = new Map(
  Object.entries(getCountrySpecifications()).flatMap(([country, { chars }]) =>
    chars ? [[country, chars] as const] : [],
  ),
);

const getIbanLength = (country: string): number | undefined => lengths.get(country.toUpperCase());

/** 34 characters in groups of four with three separators between groups, in code units. */
export const IBAN_SPAN = 64;

const openingGroup = /(?:^|[^A-Za-z0-9])([A-Za-z]{2})\d{2}[A-Za-z0-9._*-]*$/;

/** Returns whether a word can be the first group of an IBAN. */
export function startsIban(word: string): boolean {
  const country = openingGroup.exec(word)?.[1];
  return country !== undefined && lengths.has(country.toUpperCase());
}
