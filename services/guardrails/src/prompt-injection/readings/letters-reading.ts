// A text read as bare letters, forwards or backwards: for words that are spaced, dotted, run together, interrupted, or written with digits and
// letters of other scripts.
import { canonicalLetter, signLetter } from '../lexicon/letter-alphabet.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { Reading, Token } from './reading.ts';

/** `places`: where each letter stands in the text; a run of the same letter is one, at its first. */
export type Letters = { text: string; letters: Uint8Array; places: Uint32Array; length: number };

/** So many letters that are no word count as one. */
const UNKNOWN_WORD = 4;

export function lettersOf(text: string): Letters {
  const letters = new Uint8Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at) ?? 32;
    const letter = letterAt(text, at, codePoint);
    if (letter >= 0 && letter !== last) {
      letters[length] = letter;
      places[length] = at;
      length += 1;
      last = letter;
    }
    if (codePoint > 0xffff) at += 1;
  }
  return { text, letters, places, length };
}

/** Signs are letters among letters only: "all!" has no i at its end. */
function letterAt(text: string, at: number, codePoint: number): number {
  const sign = codePoint < 128 || codePoint < 256 || codePoint === 0x20ac ? signLetter(codePoint) : -1;
  if (sign < 0) return canonicalLetter(codePoint);
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  const isDigit = codePoint >= 48 && codePoint <= 57;
  const isInside = isDigit
    ? isLetter(before) || isLetter(after)
    : isLetter(after) && (isLetter(before) || codePoint === 64);
  return isInside ? sign : -1;
}

const isLetter = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57);

/** @param isDisguised whether the letters are known to be words that were taken apart */
export function readLetters({ letters, places, length }: Letters, lexicon: Lexicon, isDisguised = false): Reading {
  const kind = isDisguised ? 'guessed' : 'letters';
  return { kind, tokens: tokensOf(letters, length, lexicon, (at) => places[at] ?? 0), slack: 1 };
}

export function readBackwards({ letters, places, length }: Letters, lexicon: Lexicon): Reading {
  const reversed = letters.subarray(0, length).toReversed();
  const tokens = tokensOf(reversed, length, lexicon, (at) => places[length - 1 - at] ?? 0);
  return { kind: 'letters', tokens, slack: 1 };
}

function tokensOf(letters: Uint8Array, length: number, lexicon: Lexicon, placeOf: (at: number) => number): Token[] {
  const tokens: Token[] = [];
  let index = 0;
  let unknown = 0;
  for (let at = 0; at < length;) {
    const found = lexicon.letters.longest(letters, at, length);
    if (!found) {
      unknown += 1;
      at += 1;
      continue;
    }
    index += Math.ceil(unknown / UNKNOWN_WORD);
    unknown = 0;
    const [first, last] = [placeOf(at), placeOf(at + found.length - 1)];
    tokens.push({
      entry: found.entry,
      index,
      size: found.length,
      start: Math.min(first, last),
      end: Math.max(first, last) + 1,
    });
    index += 1;
    at += found.length;
  }
  return tokens;
}
