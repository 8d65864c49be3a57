// Reads a text as bare letters, forwards or backwards: for words that are spaced, dotted, joined, interrupted, or
// written with digits and letters of other scripts.
import { ASCII_READINGS, readSignAsLetter, SIGN_READING, toCanonicalLetter } from '../lexicon/letter-alphabet.ts';
import type { ScannedText } from '../../../text/views/scanned-text.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { createReading, type RuleReading, type RuleToken } from './reading.ts';

/** `places`: place of each letter in the text. Repeated letters are one, at the first place, unless they are kept. */
export type Letters = { text: string; letters: Uint8Array; places: Uint32Array; length: number };

/** Number of unknown letters that count as one word. */
const UNKNOWN_WORD = 4;
/** Maximum length of a word in the rules. */
const MAX_WORD = 64;

/** @param keepsRuns whether a doubled letter counts twice */
export function readLetterRun({ text, units }: ScannedText, keepsRuns = false): Letters {
  const letters = new Uint8Array(units.length);
  const places = new Uint32Array(units.length);
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
  isDisguised ? createReading('guessed', selectTokens(letters, lexicon), 1) : readLongest(letters, lexicon);

export function readBackwards({ text, letters, places, length }: Letters, lexicon: Lexicon): RuleReading {
  const reversed = {
    text,
    letters: letters.subarray(0, length).toReversed(),
    places: places.subarray(0, length).toReversed(),
    length,
  };
  return readLongest(reversed, lexicon);
}

/** Reads the longest word at each place. */
function readLongest({ letters, places, length }: Letters, lexicon: Lexicon): RuleReading {
  const trie = lexicon.letters;
  const findLongest = trie.getSearch();
  const { lengths, ids } = trie.getColumns();
  const most = (length + 1) >>> 1;
  const found = { words: new Int32Array(most), starts: new Int32Array(most) };
  const [known, indexes] = [new Int32Array(most), new Int32Array(most)];
  let [count, index, unknown] = [0, 0, 0];
  for (let at = 0; at < length;) {
    const word = findLongest(letters, at, length);
    if (word === 0) {
      unknown += 1;
      at += 1;
      continue;
    }
    index += Math.ceil(unknown / UNKNOWN_WORD);
    unknown = 0;
    found.words[count] = word;
    found.starts[count] = at;
    known[count] = ids[word] ?? 0;
    indexes[count] = index;
    count += 1;
    index += 1;
    at += lengths[word] ?? 1;
  }
  let tokens: readonly RuleToken[] | undefined;
  return {
    kind: 'letters',
    ids: known.subarray(0, count),
    indexes: indexes.subarray(0, count),
    get tokens() {
      return (tokens ??= createTokens(found, indexes.subarray(0, count), places, lexicon));
    },
    slack: 1,
  };
}

function createTokens(
  found: { words: Int32Array; starts: Int32Array },
  indexes: Int32Array,
  places: Uint32Array,
  { letters }: Lexicon,
): RuleToken[] {
  const tokens: RuleToken[] = [];
  for (const [at, index] of indexes.entries()) {
    const word = letters.words[found.words[at] ?? 0];
    if (!word) continue;
    const from = found.starts[at] ?? 0;
    const [first, last] = [places[from] ?? 0, places[from + word.length - 1] ?? 0];
    const [start, end] = first < last ? [first, last + 1] : [last, first + 1];
    tokens.push({ entry: word.entry, index, size: word.length, start, end });
  }
  return tokens;
}

/**
 * Cost of a word relative to unknown letters, so that few long words win: "yourule" is "you rule", not "your" and a
 * rest.
 */
const WORD_COST = 0.6;

/** Selects the words that leave the fewest letters over, for letters known to be words without spaces. */
function selectTokens({ letters, places, length }: Letters, lexicon: Lexicon): RuleToken[] {
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
    tokens.push({ entry, index, size, start: places[at] ?? 0, end: (places[at + size - 1] ?? 0) + 1 });
    index += 1;
    at += size;
  }
  return tokens;
}
