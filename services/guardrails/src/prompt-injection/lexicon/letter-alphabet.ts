// The alphabet in which text is read whose letters are spaced, swapped for digits and signs, or taken from other scripts: 26 letters,
// some of which stand for others too, because `1` is read as i and as l.
import { foldCharacter } from '../../text/views/unit-fold.ts';
import { lookAlike } from '../../text/views/confusables.ts';

const NONE = -1;
/** Read as a letter where a letter or another such sign stands beside it. */
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
/** Read as the same letter. */
const SAME: Record<string, string> = { l: 'i', z: 's' };

const cache = new Map<number, number>();
const signs = new Map(Object.entries(SIGNS).map(([sign, letter]) => [sign.charCodeAt(0), letterNumber(letter)]));

function letterNumber(letter: string): number {
  const code = (SAME[letter] ?? letter).charCodeAt(0);
  return code >= 97 && code <= 122 ? code - 97 : NONE;
}

/** 0 to 25; -1 for what is no letter. Signs are none here. */
export function canonicalLetter(codePoint: number): number {
  const known = cache.get(codePoint);
  if (known !== undefined) return known;
  const folded = foldCharacter(codePoint);
  const letter = letterNumber(folded.length === 1 && folded <= 'z' ? folded : (lookAlike(codePoint) ?? ''));
  cache.set(codePoint, letter);
  return letter;
}

/** The letter that a digit or sign is read as, or -1. */
export const signLetter = (codePoint: number): number => signs.get(codePoint) ?? NONE;
