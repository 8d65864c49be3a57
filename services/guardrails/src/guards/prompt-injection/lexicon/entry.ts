// Input and entries of a lexicon.

/**
 * Words by class, separated by spaces. `_` joins the words of a phrase; `*` ends a stem that other letters may follow:
 * `anweisung*`.
 */
export type Vocabulary = Readonly<Record<string, string>>;

/** `id`: index of what rules cache for the word. `classes`: classes of the word. `phrases`: phrases that start with it. */
export type LexiconEntry = { id: number; classes: Set<number>; phrases: Phrase[] };
type Phrase = { rest: readonly LexiconEntry[]; classes: Set<number> };

let count = 0;

export const createEntry = (...classes: number[]): LexiconEntry => ({
  id: count++,
  classes: new Set(classes),
  phrases: [],
});

/** Caches what is computed for an entry. The cache is an array without holes, because a token reads several caches. */
export function cacheByEntry<T extends object>(compute: (entry: LexiconEntry) => T): (entry: LexiconEntry) => T {
  const known: (T | undefined)[] = [];
  return (entry) => {
    const before = known[entry.id];
    if (before !== undefined) return before;
    while (known.length < count) known.push(undefined);
    const computed = compute(entry);
    known[entry.id] = computed;
    return computed;
  };
}
