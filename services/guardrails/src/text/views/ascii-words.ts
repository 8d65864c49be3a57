// Finds the words of a text: the longest runs of ASCII letters, with a hash each, so that the views compare numbers and not copies of
// words. Words that a view looks for are candidates by their hash; a pattern decides.
import { addToHash, EMPTY_HASH, hashWord } from '../word-hash.ts';

export type AsciiWords = { count: number; starts: Uint32Array; ends: Uint32Array; hashes: Int32Array };

export function findAsciiWords(text: string): AsciiWords {
  const most = (text.length + 1) >>> 1;
  const words = { count: 0, starts: new Uint32Array(most), ends: new Uint32Array(most), hashes: new Int32Array(most) };
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let hash = EMPTY_HASH;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if ((unit | 32) < 97 || (unit | 32) > 122) break;
      hash = addToHash(hash, unit);
    }
    if (at === start) continue;
    words.starts[words.count] = start;
    words.ends[words.count] = at;
    words.hashes[words.count] = hash;
    words.count += 1;
  }
  return words;
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
