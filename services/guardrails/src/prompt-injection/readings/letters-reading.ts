// A text read as bare letters, forwards or backwards: for words that are spaced, dotted, run together, interrupted, or written with digits and
// letters of other scripts.
import { canonicalLetter, signLetter } from '../lexicon/letter-alphabet.ts';
import type { Entry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { Reading, Token } from './reading.ts';

/** `places`: where each letter stands in the text; a run of the same letter is one, at its first, unless they are kept. */
export type Letters = { text: string; letters: Uint8Array; places: Uint32Array; length: number };

/** So many letters that are no word count as one. */
const UNKNOWN_WORD = 4;
/** No word that a rule knows is longer. */
const MAX_WORD = 64;

/** @param keepsRuns whether a letter that is written twice is two */
export function lettersOf(text: string, keepsRuns = false): Letters {
  const letters = new Uint8Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at) ?? 32;
    const letter = letterAt(text, at, codePoint);
    if (letter >= 0 && (keepsRuns || letter !== last)) {
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
  const read = isDisguised ? likeliestTokens : tokensOf;
  return { kind, tokens: read(letters, length, lexicon, (at) => places[at] ?? 0), slack: 1 };
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

/** A word counts less than letters that are none, so that few and long words are read: "yourule" is "you rule", not "your" and what is left. */
const WORD_COST = 0.6;

/** Letters that are known to be words without their spaces, as the words that leave the fewest letters over. */
function likeliestTokens(
  letters: Uint8Array,
  length: number,
  lexicon: Lexicon,
  placeOf: (at: number) => number,
): Token[] {
  const costs = new Float64Array(length + 1);
  const sizes = new Uint8Array(length + 1);
  const entries: (Entry | undefined)[] = [];
  for (let at = length - 1; at >= 0; at--) {
    costs[at] = 1 + (costs[at + 1] ?? 0);
    lexicon.spelled.each(letters, at, length, (entry, size) => {
      const cost = WORD_COST + (costs[at + size] ?? 0);
      if (cost >= (costs[at] ?? 0) || size > MAX_WORD) return;
      costs[at] = cost;
      sizes[at] = size;
      entries[at] = entry;
    });
  }
  const tokens: Token[] = [];
  let [index, unknown] = [0, 0];
  for (let at = 0; at < length;) {
    const entry = entries[at];
    const size = sizes[at] ?? 0;
    if (!entry) {
      unknown += 1;
      at += 1;
      continue;
    }
    index += Math.ceil(unknown / UNKNOWN_WORD);
    unknown = 0;
    tokens.push({ entry, index, size, start: placeOf(at), end: placeOf(at + size - 1) + 1 });
    index += 1;
    at += size;
  }
  return tokens;
}

/** The text with spaces around the words that are read in it. */
export function spacedOut(text: string, { tokens }: Reading): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of tokens) {
    pieces.push(text.slice(at, start), text.slice(start, end));
    at = Math.max(at, end);
  }
  return [...pieces, text.slice(at)].join(' ');
}
