// Table of the plain words that texts contain, with their entries. It reads a word at its place in the text, because a text repeats most
// words, and a copy of each would cost more than the search.
import type { LexiconEntry } from './entry.ts';

/** `text`: in lower case, without apostrophes. `entry`: absent if rules do not know the word. */
type PlainWord = { text: string; entry: LexiconEntry | undefined; canRepeat: boolean };
export type WordTable = {
  /** @param hash of the units between `start` and `end`, which are ASCII letters, digits and apostrophes */
  read(text: string, start: number, end: number, hash: number): PlainWord;
};

/** Number of words in the table, a power of two. */
const PLACES = 32_768;
/** Number of places from the one of its hash on at which a word may be, so that words chosen for their hash cost no more. */
const TRIED = 8;
const APOSTROPHES = /['`]/g;

export function createWordTable(find: (word: string) => LexiconEntry | undefined): WordTable {
  const words: (PlainWord | undefined)[] = Array.from({ length: PLACES }, () => undefined);
  /** The words as they are in texts, in lower case. */
  const keys: string[] = Array.from({ length: PLACES }, () => '');
  return {
    read(text, start, end, hash) {
      const home = hash ^ (hash >>> 15);
      let free = home & (PLACES - 1);
      for (let tried = 0; tried < TRIED; tried++) {
        const place = (home + tried) & (PLACES - 1);
        const known = words[place];
        if (!known) {
          free = place;
          break;
        }
        if (isSame(keys[place] ?? '', text, start, end)) return known;
      }
      const key = text.slice(start, end).toLowerCase();
      const plain = key.replace(APOSTROPHES, '');
      const word = { text: plain, entry: find(plain), canRepeat: canRepeat(plain) };
      words[free] = word;
      keys[free] = key;
      return word;
    },
  };
}

/** Returns whether a repetition of the word counts once. Digits and single letters are repeated in ordinary text. */
export const canRepeat = (word: string): boolean => word.length > 1 && !/^\d/.test(word);

function isSame(key: string, text: string, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let at = 0; at < key.length; at++) {
    const [one, other] = [key.charCodeAt(at), text.charCodeAt(start + at)];
    if (one !== other && (one !== (other | 32) || other < 65 || other > 90)) return false;
  }
  return true;
}
