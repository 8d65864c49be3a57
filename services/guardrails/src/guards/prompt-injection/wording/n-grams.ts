// Hashes the n-grams of a text: all sequences of three, four and five folded characters, with one space between words.
// A hash needs no table of n-grams.
import { lookAlike } from '../../../text/views/confusables.ts';
import { foldCharacter } from '../../../text/views/unit-fold.ts';

/**
 * `units`: lower case without marks, a space for other characters than letters and digits, each number as 0. `places`:
 * source places.
 */
export type PlainUnits = { units: Uint16Array; places: Uint32Array; length: number };

export const NGRAM_BITS = 17;
const MASK = (1 << NGRAM_BITS) - 1;
const [SHORTEST, LONGEST] = [3, 5];
const SPACE = 32;
const ZERO = 48;
/**
 * Maximum length of one folded character. Some characters fold to whole phrases, whose rest is dropped, so that such
 * text cannot crowd out an attack.
 */
const MAX_UNITS = 4;

export function toPlainUnits(text: string): PlainUnits {
  const units = new Uint16Array(text.length * MAX_UNITS + 2);
  const places = new Uint32Array(text.length * MAX_UNITS + 2);
  const isLatin = isMostlyLatin(text);
  units[0] = SPACE;
  let length = 1;
  const add = (unit: number, at: number): void => {
    if ((unit === SPACE || unit === ZERO) && units[length - 1] === unit) return;
    units[length] = unit;
    places[length] = at;
    length += 1;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 128) {
      const plain = foldAscii(unit);
      if (plain !== 0) add(plain, at);
      continue;
    }
    const codePoint = text.codePointAt(at) ?? SPACE;
    const alike = isLatin || isLatinLetter(codePoint) ? lookAlike(codePoint) : undefined;
    const folded = alike ?? foldCharacter(codePoint);
    for (let n = 0; n < folded.length && n < MAX_UNITS; n++) add(folded.charCodeAt(n), at);
    if (codePoint > 0xffff) at += 1;
  }
  add(SPACE, text.length);
  return { units, places, length };
}

/**
 * Returns whether letters of other scripts are mixed into Latin text, so that they are read as similar Latin letters.
 */
function isMostlyLatin(text: string): boolean {
  let [ascii, others] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x250) others += 1;
    else if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)) ascii += 1;
  }
  return ascii > others * MIN_LATIN;
}
const MIN_LATIN = 0.3;

/** Small capitals and similar letters, which belong only to the Latin script. */
const isLatinLetter = (codePoint: number): boolean =>
  (codePoint >= 0x250 && codePoint < 0x2b0) ||
  (codePoint >= 0x1d00 && codePoint < 0x1dc0) ||
  (codePoint >= 0xa720 && codePoint < 0xa800);

/** Returns 0 for an apostrophe, which is part of a word. */
function foldAscii(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit;
  if (unit >= 65 && unit <= 90) return unit + 32;
  if (unit >= 48 && unit <= 57) return ZERO;
  return unit === 39 || unit === 96 ? 0 : SPACE;
}

/** Calls `use` with the hash of each n-gram that starts at a place. */
export function hashNgramsAt({ units, length }: PlainUnits, at: number, use: (ngram: number) => void): void {
  const end = Math.min(at + LONGEST, length);
  let hash = 0x811c9dc5;
  for (let next = at; next < end; next++) {
    hash = Math.imul(hash ^ (units[next] ?? 0), 0x01000193);
    if (next - at + 1 >= SHORTEST) use((hash ^ (hash >>> 15)) & MASK);
  }
}
