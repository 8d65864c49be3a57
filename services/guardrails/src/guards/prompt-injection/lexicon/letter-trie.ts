// Trie of words as bare letters. Equivalent letters are the same, and repeated letters are one unless they are kept.
// The search runs at every letter of a text, so a step must be cheap.
import { toCanonicalLetter } from './letter-alphabet.ts';
import { createEntry, type LexiconEntry } from './entry.ts';
import { createLetterSearch, LETTERS, type LetterSearch } from './letter-search.ts';

export type LetterTrie = {
  add(word: string, id: number): void;
  /** Adds a word with its entry. Of words with the same letters the first counts. */
  put(word: string, entry: LexiconEntry): void;
  /** Returns the search for the longest word as its place in `words`. Created by the first call. */
  getSearch(): LetterSearch;
  /** Calls `use` for each word that starts at `at`, the shortest first. */
  forEachMatch(
    letters: Uint8Array,
    at: number,
    length: number,
    use: (entry: LexiconEntry, length: number) => void,
  ): void;
  words: readonly (TrieWord | undefined)[];
  /** The number of letters, and the entry's id, of each word. Created by the first call. */
  getColumns(): WordColumns;
};
type WordColumns = { lengths: Int32Array; ids: Int32Array };
/** `length`: number of letters. */
type TrieWord = { entry: LexiconEntry; length: number };

export function createLetterTrie({ keepsRuns = false } = {}): LetterTrie {
  let children = new Int32Array(LETTERS * 1024);
  /** For each node, the place of its word, or 0. */
  let ends = new Int32Array(1024);
  let nodes = 1;
  const words: (TrieWord | undefined)[] = [undefined];
  /** Created by the first reading, after the last word is added. */
  let read: { search?: LetterSearch; columns?: WordColumns } = {};
  const getChild = (node: number, letter: number): number => {
    const at = node * LETTERS + letter;
    const known = children[at] ?? 0;
    if (known > 0) return known;
    if (nodes === ends.length) {
      children = growArray(children);
      ends = growArray(ends);
    }
    children[at] = nodes;
    nodes += 1;
    return nodes - 1;
  };
  /** Returns undefined for a word that has too few letters. */
  const getWord = (word: string, create: () => LexiconEntry): TrieWord | undefined => {
    const letters = toLetters(word, keepsRuns);
    if (letters.length < 2) return undefined;
    const node = letters.reduce(getChild, 0);
    const known = words[ends[node] ?? 0];
    if (known) return known;
    const made = { entry: create(), length: letters.length };
    ends[node] = words.push(made) - 1;
    read = {};
    return made;
  };
  return {
    words,
    getColumns: () =>
      (read.columns ??= {
        lengths: Int32Array.from(words, (word) => word?.length ?? 0),
        ids: Int32Array.from(words, (word) => word?.entry.id ?? 0),
      }),
    put: (word, entry) => void getWord(word, () => entry),
    add: (word, id) => void getWord(word, createEntry)?.entry.classes.add(id),
    getSearch: () => (read.search ??= createLetterSearch(children, ends)),
    forEachMatch(letters, at, length, use) {
      let node = 0;
      for (let next = at; next < length; next++) {
        node = children[node * LETTERS + (letters[next] ?? 0)] ?? 0;
        if (node === 0) return;
        const word = words[ends[node] ?? 0];
        if (word) use(word.entry, word.length);
      }
    },
  };
}

function growArray(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Returns an empty list if the word contains non-Latin letters. */
function toLetters(word: string, keepsRuns: boolean): number[] {
  const letters: number[] = [];
  for (let at = 0; at < word.length; at++) {
    const letter = toCanonicalLetter(word.charCodeAt(at));
    if (letter < 0) return [];
    if (keepsRuns || letter !== letters.at(-1)) letters.push(letter);
  }
  return letters;
}
