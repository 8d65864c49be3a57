// Alphabet for text with letters that are spaced, replaced by digits and signs, or taken from other scripts: 26 letters,
// some of which are equivalent, because `1` is read as i and as l.
import { foldCharacter } from '../../../text/views/unit-fold.ts';
import { findSimilarLetter } from '../../../text/views/confusables.ts';

const NONE = -1;
const LETTER_COUNT = 26;
/** Signs read as a letter if a letter or another such sign is next to them. */
const SIGNS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '2': 's',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
  '€': 'e',
  '£': 'l',
  '¡': 'i',
  '§': 's',
  '+': 't',
};
/** Equivalent letters. */
const SAME: Record<string, string> = { l: 'i', z: 's' };

const signs = new Map(Object.entries(SIGNS).map(([sign, letter]) => [sign.charCodeAt(0), toLetterNumber(letter)]));
const beyondAscii = new Map<number, number>();

function toLetterNumber(letter: string): number {
  const code = (SAME[letter] ?? letter).charCodeAt(0);
  return code >= 97 && code <= 122 ? code - 97 : NONE;
}

function readLetter(codePoint: number): number {
  const folded = foldCharacter(codePoint);
  return toLetterNumber(folded.length === 1 && folded <= 'z' ? folded : (findSimilarLetter(codePoint) ?? ''));
}

const ASCII_LETTERS = Int8Array.from({ length: 128 }, (_, unit) => readLetter(unit));
const ASCII_SIGNS = Int8Array.from({ length: 128 }, (_, unit) => signs.get(unit) ?? NONE);

/** Reading of an ASCII unit that depends on the units next to it. */
export const SIGN_READING = LETTER_COUNT;
/** For each ASCII unit its letter, SIGN_READING, or -1. */
export const ASCII_READINGS = Int8Array.from({ length: 128 }, (_, unit) =>
  (ASCII_SIGNS[unit] ?? NONE) < 0 ? (ASCII_LETTERS[unit] ?? NONE) : SIGN_READING,
);

/** Returns 0 to 25, or -1 for other characters. Signs are not letters here. */
export function toCanonicalLetter(codePoint: number): number {
  if (codePoint < 128) return ASCII_LETTERS[codePoint] ?? NONE;
  const known = beyondAscii.get(codePoint);
  if (known !== undefined) return known;
  const letter = readLetter(codePoint);
  beyondAscii.set(codePoint, letter);
  return letter;
}

/** Returns the letter of a digit or sign, or -1. */
export const readSignAsLetter = (codePoint: number): number =>
  codePoint < 128 ? (ASCII_SIGNS[codePoint] ?? NONE) : (signs.get(codePoint) ?? NONE);
