// Numbers the sets of words that rules allow at a place. The sets of a word are looked up once, instead of comparing the word with every
// allowed one.
import { cacheByEntry, type LexiconEntry } from '../lexicon/entry.ts';

/** `classes`: classes of the allowed words, or of the first words of allowed phrases. */
export type ChoiceSet = {
  id: number;
  classes: ReadonlySet<number>;
  /** Returns whether a word, or a phrase that starts with it, is in the set. */
  has(entry: LexiconEntry): boolean;
};

export type ChoiceSets = {
  /** Returns the same set for the same classes. All sets are interned before the first word is looked up. */
  intern(classes: readonly number[]): ChoiceSet;
  /** Returns the sets of a word and of the phrases that start with it. */
  listSetsWith(entry: LexiconEntry): Uint16Array;
  count(): number;
};

export function createChoiceSets(): ChoiceSets {
  const byKey = new Map<string, ChoiceSet>();
  const byClass = new Map<number, number[]>();
  const listSetsWith = cacheByEntry((entry) => {
    const ids = [...entry.classes, ...entry.phrases.flatMap(({ classes }) => [...classes])];
    return Uint16Array.from(new Set(ids.flatMap((id) => byClass.get(id) ?? [])));
  });
  /** Returns a bit for each set. */
  const listMembers = cacheByEntry((entry) => {
    const bits = new Uint32Array((byKey.size + 31) >>> 5);
    for (const id of listSetsWith(entry)) bits[id >>> 5] = (bits[id >>> 5] ?? 0) | (1 << (id & 31));
    return bits;
  });
  const isIn = (entry: LexiconEntry, id: number): boolean =>
    ((listMembers(entry)[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;
  return {
    intern(classes) {
      const key = classes.toSorted((a, b) => a - b).join(' ');
      const before = byKey.get(key);
      if (before) return before;
      const id = byKey.size;
      const made: ChoiceSet = { id, classes: new Set(classes), has: (entry) => isIn(entry, id) };
      byKey.set(key, made);
      for (const one of made.classes) byClass.set(one, [...(byClass.get(one) ?? []), id]);
      return made;
    },
    listSetsWith,
    count: () => byKey.size,
  };
}
