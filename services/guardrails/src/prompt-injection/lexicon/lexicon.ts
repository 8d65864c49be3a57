// The words that rules are made of, by what they mean. A class such as `ignore` holds the words of every language for it, so that one
// rule serves them all. Built once for a process from the vocabularies beside this file and the words that rules name themselves.
import { foldWord } from '../../text/views/unit-fold.ts';
import { COMMON_WORDS } from './common-words.ts';
import type { Entry, Vocabulary } from './entry.ts';
import { createLetterTrie, type LetterTrie } from './letter-trie.ts';
import { createMisspellings } from './misspellings.ts';
import { createScan, isUnspaced, type Scan } from './unspaced.ts';

export type Lexicon = {
  /** @throws where no vocabulary has the class */
  classOf(name: string): number;
  /** Words of the longest phrase of a class. */
  longestOf(id: number): number;
  /** @param word as unit-fold.ts makes it */
  find(word: string): Entry | undefined;
  /** As it is read with digits for letters. */
  findAlike(word: string): Entry | undefined;
  /** Words of scripts that put no spaces between them, or join others to them. */
  scan: Scan;
  /** All words as bare letters, for text whose words cannot be told apart. */
  letters: LetterTrie;
  /** Words, not phrases, and common ones that no rule knows, letter by letter: for text that is known to be words without their spaces. */
  spelled: LetterTrie;
};

/** What stands between the words of rules: where words cannot be told apart, these must not be taken for the beginnings of others. */
const FILLERS =
  'the of and to in is you that it he was for on are as with his they at be this have from or one had by but not what all were we when your can said ' +
  'there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two ' +
  'more write go see number no way could people my than first been call who its now find long down day did get come made may part me am us our any ' +
  'only also just after before here please want need should must let give tell say ask help know think take good new work every never always ' +
  'again does done says said told gave anything something nothing everything someone whom because while where why was were very much such same own too ' +
  'until without with again back even still those both between under over right left same another around world life line lines list name names next open order ' +
  'read ready real really reason rest reply sentence set show side small start stop story sure talk text thank thanks today together true try turn type until use used ' +
  'user using wait want wants watch whatever while whole words works write written wrong year yes yet yourself myself itself into onto off put question quite';

/** A stem is looked up by so many characters. */
const STEM_KEY = 4;

export function createLexicon(vocabularies: readonly Vocabulary[], literals: readonly string[]): Lexicon {
  const ids = new Map<string, number>();
  const exact = new Map<string, Entry>();
  const stems = new Map<string, { stem: string; entry: Entry }[]>();
  const unspaced = new Map<string, Entry>();
  const letters = createLetterTrie();
  const spelled = createLetterTrie({ keepsRuns: true });

  const idOf = (name: string): number => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  };
  const entryIn = (map: Map<string, Entry>, word: string): Entry => {
    const entry = map.get(word) ?? { classes: new Set(), phrases: [] };
    map.set(word, entry);
    return entry;
  };
  const addStem = (stem: string, id: number): void => {
    const key = stem.slice(0, STEM_KEY);
    const known = stems.get(key) ?? [];
    stems.set(key, known);
    const same = known.find((other) => other.stem === stem);
    if (same) same.entry.classes.add(id);
    else known.push({ stem, entry: { classes: new Set([id]), phrases: [] } });
  };
  const add = (source: string, id: number): void => {
    const words = source.split('_').map((word) => foldWord(word.replace('*', '')).trim());
    const [first = '', ...rest] = words;
    letters.add(words.join(''), id);
    if (isUnspaced(first)) entryIn(unspaced, words.join('')).classes.add(id);
    else if (rest.length > 0) addPhrase(entryIn(exact, first), rest, id);
    else if (source.endsWith('*') && first.length >= STEM_KEY) addStem(first, id);
    else entryIn(exact, first).classes.add(id);
  };
  const longest = new Map<number, number>();
  const addPhrase = (entry: Entry, rest: readonly string[], id: number): void => {
    longest.set(id, Math.max(longest.get(id) ?? 1, rest.length + 1));
    entry.phrases.push({ rest: rest.map((word) => entryIn(exact, word)), classes: new Set([id]) });
  };

  for (const vocabulary of vocabularies) {
    for (const [name, words] of Object.entries(vocabulary)) {
      const id = idOf(name);
      for (const word of words.split(/\s+/)) if (word !== '') add(word, id);
    }
  }
  for (const word of literals) add(word, idOf(`=${word}`));

  for (const word of FILLERS.split(' ')) letters.add(word, idOf('filler'));

  const stemOf = (word: string): Entry | undefined =>
    stems
      .get(word.slice(0, STEM_KEY))
      ?.filter(({ stem }) => word.startsWith(stem))
      .reduce<{ stem: string; entry: Entry } | undefined>(
        (best, next) => (best && best.stem.length > next.stem.length ? best : next),
        undefined,
      )?.entry;
  for (const [word, entry] of exact) for (const id of stemOf(word)?.classes ?? []) entry.classes.add(id);
  for (const entry of exact.values()) entry.phrases.sort((a, b) => b.rest.length - a.rest.length);
  const common: Entry = { classes: new Set([idOf('filler')]), phrases: [] };
  for (const [word, entry] of exact) spelled.put(word, entry);
  for (const { stem, entry } of [...stems.values()].flat()) spelled.put(stem, entry);
  for (const word of `${FILLERS} ${COMMON_WORDS}`.split(' ')) spelled.put(word, common);
  const misspelt = createMisspellings(exact);
  const alike = new Map([...exact].filter(([word]) => word.length > 1).map(([word, entry]) => [alikeKey(word), entry]));

  return {
    classOf(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`There is no class "${name}".`);
      return id;
    },
    longestOf: (id) => longest.get(id) ?? 1,
    find: remembered(
      (word) => exact.get(word) ?? (word.length > STEM_KEY ? stemOf(word) : undefined) ?? misspelt(word),
    ),
    findAlike: remembered((word) => alike.get(alikeKey(word))),
    scan: createScan(unspaced),
    letters,
    spelled,
  };
}

/** Of words that a text has used: most are used again. */
const MAX_REMEMBERED = 20_000;
function remembered(find: (word: string) => Entry | undefined): (word: string) => Entry | undefined {
  const known = new Map<string, Entry | undefined>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined || known.has(word)) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const found = find(word);
    known.set(word, found);
    return found;
  };
}

/** `1` is read as i and as l, runs of a letter as one. */
const alikeKey = (word: string): string =>
  word
    .replaceAll('l', 'i')
    .replaceAll('z', 's')
    .replace(/(.)\1+/g, '$1');
