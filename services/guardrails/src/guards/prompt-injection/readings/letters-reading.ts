// Reads a text as bare letters, forwards or backwards: for words that are spaced, dotted, joined, interrupted, or
// written with digits and letters of other scripts.
import { ASCII_READINGS, readSignAsLetter, SIGN_READING, toCanonicalLetter } from '../lexicon/letter-alphabet.ts';
import type { ScannedText } from '../../../text/views/scanned-text.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { addToken, takeColumns, createReading, type RuleReading, type TokenColumns } from './reading.ts';

/** `places`: place of each letter in the text. Repeated letters are one, at the first place, unless they are kept. */
export type Letters = { text: string; letters: Uint8Array; places: Uint32Array; length: number };

/** Number of unknown letters that count as one word. */
const UNKNOWN_WORD = 4;
const countUnknownWords = (letters: number): number => ((letters + UNKNOWN_WORD - 1) / UNKNOWN_WORD) | 0;
/** Maximum length of a word in the rules. */
const MAX_WORD = 64;

/** Length of a text up to which its letters are in arrays that the next text uses, too. */
const MAX_KEPT = 131_072;
const createLetters = (length: number) => ({ letters: new Uint8Array(length), places: new Uint32Array(length) });
const kept = createLetters(MAX_KEPT);
const takeLetters = (length: number) => (length <= MAX_KEPT ? kept : createLetters(length));

/** The letters are valid until the next text is read. @param keepsRuns whether a doubled letter counts twice */
export function readLetterRun({ text, units }: ScannedText, keepsRuns = false): Letters {
  const { letters, places } = takeLetters(units.length);
  let length = 0;
  let last = -1;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] ?? 0;
    const plain = unit < 128 ? (ASCII_READINGS[unit] ?? -1) : SIGN_READING;
    const letter = plain === SIGN_READING ? readLetterAt(text, at) : plain;
    if (letter < 0 || (letter === last && !keepsRuns)) continue;
    letters[length] = letter;
    places[length] = at;
    length += 1;
    last = letter;
  }
  return { text, letters, places, length };
}

/** Reads a sign as a letter only among letters: "all!" has no i at its end. The second unit of a character has no letter. */
function readLetterAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 32;
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
export const readLetters = (letters: Letters, lexicon: Lexicon, isDisguised = false): RuleReading =>
  isDisguised ? createReading('guessed', selectTokens(letters, lexicon), 1) : readLongest(letters, lexicon, 1);

export const readBackwards = (letters: Letters, lexicon: Lexicon): RuleReading => readLongest(letters, lexicon, -1);

/** Reads the longest word at each place, from the last letter on if `step` is -1. */
function readLongest({ letters, places, length }: Letters, { letters: trie }: Lexicon, step: 1 | -1): RuleReading {
  const findLongest = trie.getSearch();
  const { lengths, ids } = trie.getColumns();
  const tokens = takeColumns();
  let [index, unknown] = [0, 0];
  // A word has two letters or more.
  for (let left = length, at = step === 1 ? 0 : length - 1; left > 1;) {
    const word = findLongest(letters, at, step, left);
    const read = word === 0 ? 1 : (lengths[word] ?? 1);
    if (word === 0) unknown += 1;
    else {
      index += countUnknownWords(unknown);
      unknown = 0;
      addToken(tokens, ids[word] ?? 0, index, read, at, at + step * (read - 1));
      index += 1;
    }
    at += step * read;
    left -= read;
  }
  const { starts, ends } = tokens;
  return createReading('letters', tokens, 1, (token) => {
    const [first, last] = [places[starts[token] ?? 0] ?? 0, places[ends[token] ?? 0] ?? 0];
    return first < last ? { start: first, end: last + 1 } : { start: last, end: first + 1 };
  });
}

/**
 * Cost of a word relative to unknown letters, so that few long words win: "yourule" is "you rule", not "your" and a
 * rest.
 */
const WORD_COST = 0.6;

/** Selects the words that leave the fewest letters over, for letters known to be words without spaces. */
function selectTokens({ letters, places, length }: Letters, lexicon: Lexicon): TokenColumns {
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
  const tokens = takeColumns();
  let [index, unknown] = [0, 0];
  for (let at = 0; at < length;) {
    const entry = entries[at];
    const size = sizes[at] ?? 0;
    if (!entry) {
      unknown += 1;
      at += 1;
      continue;
    }
    index += countUnknownWords(unknown);
    unknown = 0;
    addToken(tokens, entry.id, index, size, places[at] ?? 0, (places[at + size - 1] ?? 0) + 1);
    index += 1;
    at += size;
  }
  return tokens;
}
