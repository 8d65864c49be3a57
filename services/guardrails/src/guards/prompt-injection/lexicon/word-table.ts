// Table of the plain words that texts contain, with their entries. It reads a word from the units of the text, because a text repeats most
// words, and a copy of each would cost more than the search.
import type { LexiconEntry } from './entry.ts';

/** `text`: the word in lower case, without apostrophes. `entry`: absent if rules do not know the word. */
type TableWord = { text: string; entry: LexiconEntry | undefined; canRepeat: boolean };
export type WordTable = {
  /** @param hash of the units between `start` and `end`, at most MAX_WORD of them, which are ASCII letters, digits and apostrophes */
  read(units: Uint16Array, start: number, end: number, hash: number): TableWord;
};

/** Maximum length of a word in the rules. */
export const MAX_WORD = 64;
/** Number of words in the table, a power of two. */
const PLACES = 8_192;
/** Number of places from the one of its hash on at which a word may be, so that words chosen for their hash cost no more. */
const TRIED = 8;
const APOSTROPHES = /['`]/g;
/** Sets the bit that distinguishes a small letter from a capital; digits and apostrophes have it already. */
const toLowerUnit = (unit: number): number => unit | 32;

export function createWordTable(find: (word: string) => LexiconEntry | undefined): WordTable {
  const words: (TableWord | undefined)[] = Array.from({ length: PLACES }, () => undefined);
  /** The units and the length of each word. */
  const keys = new Uint8Array(PLACES * MAX_WORD);
  const lengths = new Uint8Array(PLACES);
  const hasKey = (place: number, units: Uint16Array, start: number, end: number): boolean => {
    const length = end - start;
    if (lengths[place] !== length) return false;
    const key = place * MAX_WORD;
    for (let at = 0; at < length; at++) {
      if (keys[key + at] !== toLowerUnit(units[start + at] ?? 0)) return false;
    }
    return true;
  };
  const addWord = (place: number, units: Uint16Array, start: number, end: number): TableWord => {
    const key = Uint8Array.from(units.subarray(start, end), toLowerUnit);
    keys.set(key, place * MAX_WORD);
    lengths[place] = key.length;
    // A new string, because a slice would keep the whole text in memory.
    const text = String.fromCharCode(...key).replace(APOSTROPHES, '');
    const word = { text, entry: find(text), canRepeat: canRepeat(text) };
    words[place] = word;
    return word;
  };
  return {
    read(units, start, end, hash) {
      const home = hash ^ (hash >>> 15);
      let free = home & (PLACES - 1);
      for (let tried = 0; tried < TRIED; tried++) {
        const place = (home + tried) & (PLACES - 1);
        const known = words[place];
        if (!known) {
          free = place;
          break;
        }
        if (hasKey(place, units, start, end)) return known;
      }
      return addWord(free, units, start, end);
    },
  };
}

/** Returns whether a repetition of the word counts once. Digits and single letters are repeated in ordinary text. */
export const canRepeat = (word: string): boolean => word.length > 1 && !/^\d/.test(word);
