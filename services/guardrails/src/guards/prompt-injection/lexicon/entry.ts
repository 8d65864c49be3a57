// Input and entries of a lexicon.

/**
 * Words by class, separated by spaces. `_` joins the words of a phrase; `*` ends a stem that other letters may follow:
 * `anweisung*`.
 */
export type Vocabulary = Readonly<Record<string, string>>;

/** `id`: index of what rules cache for the word. `classes`: classes of the word. `phrases`: phrases that start with it. */
export type LexiconEntry = { id: number; classes: Set<number>; phrases: Phrase[] };
type Phrase = { rest: readonly LexiconEntry[]; classes: Set<number> };

/** By id, because a reading stores the ids of its words. */
const entries: LexiconEntry[] = [];

export function createEntry(...classes: number[]): LexiconEntry {
  const entry = { id: entries.length, classes: new Set(classes), phrases: [] };
  entries.push(entry);
  return entry;
}

export const getEntry = (id: number): LexiconEntry | undefined => entries[id];

/** Caches what is computed for an entry. The cache is an array without holes, because a token reads several caches. */
export function cacheByEntry<T extends object>(compute: (entry: LexiconEntry) => T): (entry: LexiconEntry) => T {
  const known: (T | undefined)[] = [];
  return (entry) => {
    const before = known[entry.id];
    if (before !== undefined) return before;
    while (known.length < entries.length) known.push(undefined);
    const computed = compute(entry);
    known[entry.id] = computed;
    return computed;
  };
}
