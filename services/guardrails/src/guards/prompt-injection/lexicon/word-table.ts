// Table of the plain words that texts contain, with their entries. It reads a word at its place in the text, because a text repeats most
// words, and a copy of each would cost more than the search.
import type { LexiconEntry } from './entry.ts';

/** `key`: the word as it is in texts, in lower case. `text`: the same without apostrophes. `entry`: absent if rules do not know the word. */
type PlainWord = { key: string; text: string; entry: LexiconEntry | undefined; canRepeat: boolean };
export type WordTable = {
  /** @param hash of the units between `start` and `end`, which are ASCII letters, digits and apostrophes */
  read(text: string, start: number, end: number, hash: number): PlainWord;
};

/** Number of words in the table, a power of two. */
const PLACES = 8_192;
/** Number of places from the one of its hash on at which a word may be, so that words chosen for their hash cost no more. */
const TRIED = 8;
const APOSTROPHES = /['`]/g;

export function createWordTable(find: (word: string) => LexiconEntry | undefined): WordTable {
  const words: (PlainWord | undefined)[] = Array.from({ length: PLACES }, () => undefined);
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
        if (isSame(known.key, text, start, end)) return known;
      }
      const key = text.slice(start, end).toLowerCase();
      const plain = key.replace(APOSTROPHES, '');
      const word = { key, text: plain, entry: find(plain), canRepeat: canRepeat(plain) };
      words[free] = word;
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
