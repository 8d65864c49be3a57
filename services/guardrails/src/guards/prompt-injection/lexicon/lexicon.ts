// Lexicon of the rules' words by meaning. A class such as `ignore` contains the words of all languages, so one rule
// covers them all. Built once per process from data/lexicon and the literal words of rules.
import { foldWord } from '../../../text/views/unit-fold.ts';
import { createEntry, type LexiconEntry, type Vocabulary } from './entry.ts';
import { ORDINARY_WORDS } from './lexicon-files.ts';
import { createLetterTrie, type LetterTrie } from './letter-trie.ts';
import { createMisspellings } from './misspellings.ts';
import { createUnspacedScan, isUnspaced, type UnspacedScan } from './unspaced-scripts.ts';
import { createWordTable, type WordTable } from './word-table.ts';

export type Lexicon = {
  /** @throws if no vocabulary has the class */
  getClassId(name: string): number;
  /** Returns the number of words of a class's longest phrase. */
  getLongest(id: number): number;
  plain: LexiconWords;
  /** The same words, also if they are spelled with digits for letters. */
  disguised: LexiconWords;
  /** Finds words in scripts without spaces or with joined words. */
  scan: UnspacedScan;
  /** All words as bare letters, for text without word boundaries. */
  letters: LetterTrie;
  /**
   * Words (not phrases) and common words outside of the rules as letters, for text known to consist of words without
   * spaces.
   */
  spelled: LetterTrie;
};

export type LexiconWords = {
  /** @param word folded by unit-fold.ts */
  find(word: string): LexiconEntry | undefined;
  /** The same for words in a text. */
  table: WordTable;
};

/** Number of characters that index a stem. */
const STEM_KEY = 4;

export function createLexicon(vocabularies: readonly Vocabulary[], literals: readonly string[]): Lexicon {
  const ids = new Map<string, number>();
  const exact = new Map<string, LexiconEntry>();
  const stems = new Map<string, { stem: string; entry: LexiconEntry }[]>();
  const unspaced = new Map<string, LexiconEntry>();
  const letters = createLetterTrie();
  const spelled = createLetterTrie({ keepsRuns: true });

  const assignId = (name: string): number => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  };
  const getOrAddEntry = (map: Map<string, LexiconEntry>, word: string): LexiconEntry => {
    const entry = map.get(word) ?? createEntry();
    map.set(word, entry);
    return entry;
  };
  const addStem = (stem: string, id: number): void => {
    const key = stem.slice(0, STEM_KEY);
    const known = stems.get(key) ?? [];
    stems.set(key, known);
    const same = known.find((other) => other.stem === stem);
    if (same) same.entry.classes.add(id);
    else known.push({ stem, entry: createEntry(id) });
  };
  const add = (source: string, id: number): void => {
    const words = source.split('_').map((word) => foldWord(word.replace('*', '')).trim());
    const [first = '', ...rest] = words;
    letters.add(words.join(''), id);
    if (isUnspaced(first)) getOrAddEntry(unspaced, words.join('')).classes.add(id);
    else if (rest.length > 0) addPhrase(getOrAddEntry(exact, first), rest, id);
    else if (source.endsWith('*') && first.length >= STEM_KEY) addStem(first, id);
    else getOrAddEntry(exact, first).classes.add(id);
  };
  const longest = new Map<number, number>();
  const addPhrase = (entry: LexiconEntry, rest: readonly string[], id: number): void => {
    longest.set(id, Math.max(longest.get(id) ?? 1, rest.length + 1));
    entry.phrases.push({ rest: rest.map((word) => getOrAddEntry(exact, word)), classes: new Set([id]) });
  };

  for (const vocabulary of vocabularies) {
    for (const [name, words] of Object.entries(vocabulary)) {
      const id = assignId(name);
      for (const word of words.split(/\s+/)) if (word !== '') add(word, id);
    }
  }
  for (const word of literals) add(word, assignId(`=${word}`));

  for (const word of ORDINARY_WORDS.fillers.split(' ')) letters.add(word, assignId('filler'));

  const findStem = (word: string): LexiconEntry | undefined =>
    stems
      .get(word.slice(0, STEM_KEY))
      ?.filter(({ stem }) => word.startsWith(stem))
      .reduce<{ stem: string; entry: LexiconEntry } | undefined>(
        (best, next) => (best && best.stem.length > next.stem.length ? best : next),
        undefined,
      )?.entry;
  for (const [word, entry] of exact) for (const id of findStem(word)?.classes ?? []) entry.classes.add(id);
  for (const entry of exact.values()) entry.phrases.sort((a, b) => b.rest.length - a.rest.length);
  const common = createEntry(assignId('filler'));
  for (const [word, entry] of exact) spelled.put(word, entry);
  for (const { stem, entry } of [...stems.values()].flat()) spelled.put(stem, entry);
  for (const word of `${ORDINARY_WORDS.fillers} ${ORDINARY_WORDS.common}`.split(' ')) spelled.put(word, common);
  const misspelt = createMisspellings(exact);
  const findAlike = createAlikeSearch(exact);
  const find = (word: string): LexiconEntry | undefined =>
    exact.get(word) ?? (word.length > STEM_KEY ? findStem(word) : undefined) ?? misspelt(word);

  return {
    getClassId(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`The lexicon has no class "${name}".`);
      return id;
    },
    getLongest: (id) => longest.get(id) ?? 1,
    plain: createWords(find),
    disguised: createWords((word) => find(word) ?? findAlike(word)),
    scan: createUnspacedScan(unspaced),
    letters,
    spelled,
  };
}

function createWords(search: (word: string) => LexiconEntry | undefined): LexiconWords {
  const find = memoize(search);
  return { find, table: createWordTable(find) };
}

/** Maximum number of cached words, because texts repeat most words. */
const MAX_REMEMBERED = 20_000;
function memoize(find: (word: string) => LexiconEntry | undefined): (word: string) => LexiconEntry | undefined {
  const known = new Map<string, LexiconEntry | undefined>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined || known.has(word)) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const found = find(word);
    known.set(word, found);
    return found;
  };
}

/** Returns a function that finds a word spelled with digits for letters. */
function createAlikeSearch(words: ReadonlyMap<string, LexiconEntry>): (word: string) => LexiconEntry | undefined {
  const long = [...words].filter(([word]) => word.length > 1);
  const alike = new Map(long.map(([word, entry]) => [toAlikeKey(word), entry]));
  return (word) => alike.get(toAlikeKey(word));
}

/** Reads `1` as i and as l, and repeated letters as one. */
const toAlikeKey = (word: string): string =>
  word
    .replaceAll('l', 'i')
    .replaceAll('z', 's')
    .replace(/(.)\1+/g, '$1');
