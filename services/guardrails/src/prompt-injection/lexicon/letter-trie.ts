// Words as bare letters, in an alphabet in which letters that stand for one another are the same, and runs of a letter are one, unless they are kept.
// What is looked for at every letter of a text must cost next to nothing at each.
import { canonicalLetter } from './letter-alphabet.ts';
import type { Entry } from './entry.ts';

const LETTERS = 26;
/** Of a node's row: 26 children. */
export type LetterTrie = {
  add(word: string, id: number): void;
  /** The word means what the entry says; of words with the same letters the first counts. */
  put(word: string, entry: Entry): void;
  /** The longest word that begins at `at`, or nothing. @param letters 0 to 25 */
  longest(letters: Uint8Array, at: number, length: number): { entry: Entry; length: number } | undefined;
  /** Calls `use` for every word that begins at `at`, shorter ones first. */
  each(letters: Uint8Array, at: number, length: number, use: (entry: Entry, length: number) => void): void;
};

export function createLetterTrie({ keepsRuns = false } = {}): LetterTrie {
  let children = new Int32Array(LETTERS * 1024);
  const entries: (Entry | undefined)[] = [undefined];
  const child = (node: number, letter: number): number => {
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
  const nodeOf = (word: string): number => {
    const letters = lettersOf(word, keepsRuns);
    return letters.length < 2 ? 0 : letters.reduce(child, 0);
  };
  return {
    put(word, entry) {
      const node = nodeOf(word);
      if (node > 0) entries[node] ??= entry;
    },
    add(word, id) {
      const node = nodeOf(word);
      if (node === 0) return;
      const entry = entries[node] ?? { classes: new Set(), phrases: [] };
      entries[node] = entry;
      entry.classes.add(id);
    },
    longest(letters, at, length) {
      let node = 0;
      let best: { entry: Entry; length: number } | undefined;
      for (let next = at; next < length; next++) {
        node = children[node * LETTERS + (letters[next] ?? 0)] ?? 0;
        if (node === 0) break;
        const entry = entries[node];
        if (entry) best = { entry, length: next - at + 1 };
      }
      return best;
    },
    each(letters, at, length, use) {
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

/** Nothing where the word has others than Latin letters. */
function lettersOf(word: string, keepsRuns: boolean): number[] {
  const letters = Array.from(word, (character) => canonicalLetter(character.charCodeAt(0)));
  if (letters.some((letter) => letter < 0)) return [];
  return keepsRuns ? letters : letters.filter((letter, at) => letter !== letters[at - 1]);
}
