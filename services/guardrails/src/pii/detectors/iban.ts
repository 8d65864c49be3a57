// International bank account numbers (ISO 13616), in one go or in groups; country, structure and check digits by ibantools.
import { isValidIBAN } from 'ibantools';
import { ibanLength } from '../iban-countries.ts';
import type { Detector } from '../pii-types.ts';

const candidate = /(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?:[ -]?[A-Za-z0-9]){11,30}/g;
const character = /[A-Za-z0-9]/;

export const iban: Detector = {
  type: 'iban',
  detect: ({ text }) =>
    [...text.matchAll(candidate)].flatMap((match) => {
      const length = ibanLength(match[1] ?? '');
      const taken = length === undefined ? undefined : take(match[0], length);
      if (!taken || !isValidIBAN(taken.compact)) return [];
      const end = match.index + taken.end;
      if (character.test(text.charAt(end))) return [];
      return [{ type: 'iban' as const, start: match.index, end }];
    }),
};

/** The first `length` letters and digits: what follows in the text may look like one more group. */
function take(text: string, length: number): { compact: string; end: number } | undefined {
  let compact = '';
  for (let at = 0; at < text.length; at++) {
    if (character.test(text.charAt(at))) compact += text.charAt(at).toUpperCase();
    if (compact.length === length) return { compact, end: at + 1 };
  }
  return undefined;
}
