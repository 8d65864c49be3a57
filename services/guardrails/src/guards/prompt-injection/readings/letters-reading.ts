// Reads a text as bare letters, forwards or backwards: for words that are spaced, dotted, joined, interrupted, or
// written with digits and letters of other scripts.
import { toCanonicalLetter, readSignAsLetter } from '../lexicon/letter-alphabet.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { RuleReading, RuleToken } from './reading.ts';

/** `places`: place of each letter in the text. Repeated letters are one, at the first place, unless they are kept. */
export type Letters = { text: string; letters: Uint8Array; places: Uint32Array; length: number };

/** Number of unknown letters that count as one word. */
const UNKNOWN_WORD = 4;
/** Maximum length of a word in the rules. */
const MAX_WORD = 64;

/** @param keepsRuns whether a doubled letter counts twice */
export function readLetterRun(text: string, keepsRuns = false): Letters {
  const letters = new Uint8Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const codePoint = unit < 0xd800 || unit > 0xdbff ? unit : (text.codePointAt(at) ?? 32);
    const letter = readLetterAt(text, at, codePoint);
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

/** Reads a sign as a letter only among letters: "all!" has no i at its end. */
function readLetterAt(text: string, at: number, codePoint: number): number {
  const sign = codePoint < 256 || codePoint === 0x20ac ? readSignAsLetter(codePoint) : -1;
  if (sign < 0) return toCanonicalLetter(codePoint);
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

/** @param isDisguised whether the letters are known to be disguised words */
export function readLetters({ letters, places, length }: Letters, lexicon: Lexicon, isDisguised = false): RuleReading {
  const kind = isDisguised ? 'guessed' : 'letters';
  const read = isDisguised ? selectTokens : readTokens;
  return { kind, tokens: read(letters, length, lexicon, (at) => places[at] ?? 0), slack: 1 };
}

export function readBackwards({ letters, places, length }: Letters, lexicon: Lexicon): RuleReading {
  const reversed = letters.subarray(0, length).toReversed();
  const tokens = readTokens(reversed, length, lexicon, (at) => places[length - 1 - at] ?? 0);
  return { kind: 'letters', tokens, slack: 1 };
}

function readTokens(
  letters: Uint8Array,
  length: number,
  lexicon: Lexicon,
  findPlace: (at: number) => number,
): RuleToken[] {
  const tokens: RuleToken[] = [];
  let index = 0;
  let unknown = 0;
  const { words } = lexicon.letters;
  for (let at = 0; at < length;) {
    const word = words[lexicon.letters.findLongest(letters, at, length)];
    if (!word) {
      unknown += 1;
      at += 1;
      continue;
    }
    index += Math.ceil(unknown / UNKNOWN_WORD);
    unknown = 0;
    const [first, last] = [findPlace(at), findPlace(at + word.length - 1)];
    const [start, end] = first < last ? [first, last + 1] : [last, first + 1];
    tokens.push({ entry: word.entry, index, size: word.length, start, end });
    index += 1;
    at += word.length;
  }
  return tokens;
}

/**
 * Cost of a word relative to unknown letters, so that few long words win: "yourule" is "you rule", not "your" and a
 * rest.
 */
const WORD_COST = 0.6;

/** Selects the words that leave the fewest letters over, for letters known to be words without spaces. */
function selectTokens(
  letters: Uint8Array,
  length: number,
  lexicon: Lexicon,
  findPlace: (at: number) => number,
): RuleToken[] {
  const costs = new Float64Array(length + 1);
  const sizes = new Uint8Array(length + 1);
  const entries: (LexiconEntry | undefined)[] = [];
  for (let at = length - 1; at >= 0; at--) {
    costs[at] = 1 + (costs[at + 1] ?? 0);
    lexicon.spelled.forEachMatch(letters, at, length, (entry, size) => {
      const cost = WORD_COST + (costs[at + size] ?? 0);
      if (cost >= (costs[at] ?? 0) || size > MAX_WORD) return;
      costs[at] = cost;
      sizes[at] = size;
      entries[at] = entry;
    });
  }
  const tokens: RuleToken[] = [];
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
    tokens.push({ entry, index, size, start: findPlace(at), end: findPlace(at + size - 1) + 1 });
    index += 1;
    at += size;
  }
  return tokens;
}
