// Alphabet for text with letters that are spaced, replaced by digits and signs, or taken from other scripts: 26 letters,
// some of which are equivalent, because `1` is read as i and as l.
import { foldCharacter } from '../../../text/views/unit-fold.ts';
import { lookAlike } from '../../../text/views/confusables.ts';

const NONE = -1;
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

const cache = new Map<number, number>();
const signs = new Map(Object.entries(SIGNS).map(([sign, letter]) => [sign.charCodeAt(0), toLetterNumber(letter)]));

function toLetterNumber(letter: string): number {
  const code = (SAME[letter] ?? letter).charCodeAt(0);
  return code >= 97 && code <= 122 ? code - 97 : NONE;
}

/** Returns 0 to 25, or -1 for other characters. Signs are not letters here. */
export function toCanonicalLetter(codePoint: number): number {
  const known = cache.get(codePoint);
  if (known !== undefined) return known;
  const folded = foldCharacter(codePoint);
  const letter = toLetterNumber(folded.length === 1 && folded <= 'z' ? folded : (lookAlike(codePoint) ?? ''));
  cache.set(codePoint, letter);
  return letter;
}

/** Returns the letter of a digit or sign, or -1. */
export const readSignAsLetter = (codePoint: number): number => signs.get(codePoint) ?? NONE;
