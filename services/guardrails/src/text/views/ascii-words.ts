// Finds the words of a text: the longest runs of ASCII letters, with a hash each, so that the views compare numbers and not copies of
// words. Words that a view looks for are candidates by their hash; a pattern decides.

/** Hash of the empty word. */
export const EMPTY_HASH = 0x811c_9dc5;

/** Adds a unit, in the same way for both cases of a letter. */
export const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ (unit | 32), 0x0100_0193);

/** Returns the hash of a word of ASCII letters, digits and apostrophes. */
export function hashWord(word: string): number {
  let hash = EMPTY_HASH;
  for (let at = 0; at < word.length; at++) hash = addToHash(hash, word.charCodeAt(at));
  return hash;
}

export type AsciiWords = { count: number; starts: Uint32Array; ends: Uint32Array; hashes: Int32Array };

const createColumns = (most: number) => ({
  starts: new Uint32Array(most),
  ends: new Uint32Array(most),
  hashes: new Int32Array(most),
});
/** Most texts are short, and their words are collected in the same arrays. */
const SHORT = 65_536;
const short = createColumns(SHORT);

export function findAsciiWords(units: Uint16Array): AsciiWords {
  const most = (units.length + 1) >>> 1;
  const { starts, ends, hashes } = most <= SHORT ? short : createColumns(most);
  let count = 0;
  for (let at = 0; at < units.length; at++) {
    const start = at;
    let hash = EMPTY_HASH;
    for (; at < units.length; at++) {
      const unit = units[at] ?? 0;
      if ((unit | 32) < 97 || (unit | 32) > 122) break;
      hash = addToHash(hash, unit);
    }
    if (at === start) continue;
    starts[count] = start;
    ends[count] = at;
    hashes[count] = hash;
    count += 1;
  }
  // Copies, because a view keeps them.
  return { count, starts: starts.slice(0, count), ends: ends.slice(0, count), hashes: hashes.slice(0, count) };
}

/** A set of hashes, with a few others. */
export type HashSet = Uint8Array;
const SIZE = 16_384;

const reduceHash = (hash: number): number => (hash ^ (hash >>> 14)) & (SIZE - 1);
const joinHashes = (first: number, second: number): number => Math.imul(first, 31) + second;

/** @param phrases words, or pairs of words with a space between them, in ASCII letters */
export function createHashSet(phrases: readonly string[]): HashSet {
  const set = new Uint8Array(SIZE);
  for (const phrase of phrases) {
    const [first = '', second] = phrase.split(' ');
    const hash = second === undefined ? hashWord(first) : joinHashes(hashWord(first), hashWord(second));
    set[reduceHash(hash)] = 1;
  }
  return set;
}

/** Returns the starts of the words that may be in the set. */
export function listWordsIn({ count, starts, hashes }: AsciiWords, set: HashSet): number[] {
  const places: number[] = [];
  for (let at = 0; at < count; at++) {
    if (set[reduceHash(hashes[at] ?? 0)] === 1) places.push(starts[at] ?? 0);
  }
  return places;
}

/** Returns the starts of the pairs of words, one unit apart, that may be in the set. */
export function listPairsIn({ count, starts, ends, hashes }: AsciiWords, set: HashSet): number[] {
  const places: number[] = [];
  for (let at = 1; at < count; at++) {
    if ((starts[at] ?? 0) - (ends[at - 1] ?? 0) !== 1) continue;
    if (set[reduceHash(joinHashes(hashes[at - 1] ?? 0, hashes[at] ?? 0))] === 1) places.push(starts[at - 1] ?? 0);
  }
  return places;
}

/** `bits`: for each reduced hash, a bit for each list that may have the word. */
export type WordLists = {
  bits: Uint32Array;
  count: number;
  /** @throws if there is no such list */
  getNumber(words: readonly string[]): number;
};

/** Number of bits. */
const MAX_LISTS = 32;
const toKey = (words: readonly string[]): string => words.join(' ');

/** @param lists of words in ASCII letters; equal lists have one number @throws if there are too many, or a word has other characters */
export function createWordLists(lists: readonly (readonly string[])[]): WordLists {
  const distinct = [...new Map(lists.map((words) => [toKey(words), words])).values()];
  if (distinct.length > MAX_LISTS) throw new Error(`${distinct.length} lists of words exceed ${MAX_LISTS}.`);
  const numbers = new Map(distinct.map((words, at) => [toKey(words), at]));
  const bits = new Uint32Array(SIZE);
  for (const [at, words] of distinct.entries()) {
    for (const word of words) {
      if (!/^[a-z]+$/i.test(word)) throw new Error(`"${word}" is no word of ASCII letters.`);
      const place = reduceHash(hashWord(word));
      bits[place] = (bits[place] ?? 0) | (1 << at);
    }
  }
  return {
    bits,
    count: distinct.length,
    getNumber(words) {
      const number = numbers.get(toKey(words));
      if (number === undefined) throw new Error(`There is no list of the words "${toKey(words)}".`);
      return number;
    },
  };
}

/** Returns for each list the starts of the words that may be in it. */
export function findInLists({ count, starts, hashes }: AsciiWords, lists: WordLists): readonly (readonly number[])[] {
  const places: number[][] = Array.from({ length: lists.count }, () => []);
  for (let at = 0; at < count; at++) {
    for (let bits = lists.bits[reduceHash(hashes[at] ?? 0)] ?? 0; bits !== 0; bits &= bits - 1)
      places[31 - Math.clz32(bits & -bits)]?.push(starts[at] ?? 0);
  }
  return places;
}
