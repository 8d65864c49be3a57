// Trie of words as bare letters. Equivalent letters are the same, and repeated letters are one unless they are kept.
// The search runs at every letter of a text, so a step must be cheap.
import { toCanonicalLetter } from './letter-alphabet.ts';
import type { LexiconEntry } from './entry.ts';

const LETTERS = 26;
/** Length of a node's row: 26 children. */
export type LetterTrie = {
  add(word: string, id: number): void;
  /** Adds a word with its entry. Of words with the same letters the first counts. */
  put(word: string, entry: LexiconEntry): void;
  /** Returns the longest word that starts at `at`. @param letters 0 to 25 */
  findLongest(letters: Uint8Array, at: number, length: number): { entry: LexiconEntry; length: number } | undefined;
  /** Calls `use` for each word that starts at `at`, the shortest first. */
  forEachMatch(
    letters: Uint8Array,
    at: number,
    length: number,
    use: (entry: LexiconEntry, length: number) => void,
  ): void;
};

export function createLetterTrie({ keepsRuns = false } = {}): LetterTrie {
  let children = new Int32Array(LETTERS * 1024);
  const entries: (LexiconEntry | undefined)[] = [undefined];
  const getChild = (node: number, letter: number): number => {
    const at = node * LETTERS + letter;
    const known = children[at] ?? 0;
    if (known > 0) return known;
    const next = entries.push(undefined) - 1;
    if ((next + 1) * LETTERS > children.length) {
      const larger = new Int32Array(children.length * 2);
      larger.set(children);
      children = larger;
    }
    children[at] = next;
    return next;
  };
  const addNode = (word: string): number => {
    const letters = toLetters(word, keepsRuns);
    return letters.length < 2 ? 0 : letters.reduce(getChild, 0);
  };
  return {
    put(word, entry) {
      const node = addNode(word);
      if (node > 0) entries[node] ??= entry;
    },
    add(word, id) {
      const node = addNode(word);
      if (node === 0) return;
      const entry = entries[node] ?? { classes: new Set(), phrases: [] };
      entries[node] = entry;
      entry.classes.add(id);
    },
    findLongest(letters, at, length) {
      let node = 0;
      let best: { entry: LexiconEntry; length: number } | undefined;
      for (let next = at; next < length; next++) {
        node = children[node * LETTERS + (letters[next] ?? 0)] ?? 0;
        if (node === 0) break;
        const entry = entries[node];
        if (entry) best = { entry, length: next - at + 1 };
      }
      return best;
    },
    forEachMatch(letters, at, length, use) {
      let node = 0;
      for (let next = at; next < length; next++) {
        node = children[node * LETTERS + (letters[next] ?? 0)] ?? 0;
        if (node === 0) return;
        const entry = entries[node];
        if (entry) use(entry, next - at + 1);
      }
    },
  };
}

/** Returns an empty list if the word contains non-Latin letters. */
function toLetters(word: string, keepsRuns: boolean): number[] {
  const letters = Array.from(word, (character) => toCanonicalLetter(character.charCodeAt(0)));
  if (letters.some((letter) => letter < 0)) return [];
  return keepsRuns ? letters : letters.filter((letter, at) => letter !== letters[at - 1]);
}
