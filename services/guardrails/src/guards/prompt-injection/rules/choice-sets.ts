// Numbers the sets of words that rules allow at a place. An entry caches the numbers of its sets, so a word is looked
// up once instead of compared with every allowed word.
import type { LexiconEntry } from '../lexicon/entry.ts';

/** `classes`: classes of the allowed words, or of the first words of allowed phrases. */
export type ChoiceSet = {
  id: number;
  classes: ReadonlySet<number>;
  /** Returns whether a word, or a phrase that starts with it, is in the set. */
  has(entry: LexiconEntry): boolean;
};

export type ChoiceSets = {
  /** Returns the same set for the same classes. */
  intern(classes: readonly number[]): ChoiceSet;
  /** Returns the sets of a word and of the phrases that start with it. */
  listSetsWith(entry: LexiconEntry): Uint16Array;
  count(): number;
};

export function createChoiceSets(): ChoiceSets {
  const byKey = new Map<string, ChoiceSet>();
  const byClass = new Map<number, number[]>();
  const known = new Map<LexiconEntry, Uint16Array>();
  return {
    intern(classes) {
      const key = classes.toSorted((a, b) => a - b).join(' ');
      const before = byKey.get(key);
      if (before) return before;
      const made: ChoiceSet = {
        id: byKey.size,
        classes: new Set(classes),
        has: memoize((entry) => isIn(entry, made)),
      };
      byKey.set(key, made);
      for (const id of made.classes) byClass.set(id, [...(byClass.get(id) ?? []), made.id]);
      return made;
    },
    listSetsWith(entry) {
      const before = known.get(entry);
      if (before) return before;
      const ids = [...entry.classes, ...entry.phrases.flatMap(({ classes }) => [...classes])];
      const found = Uint16Array.from(new Set(ids.flatMap((id) => byClass.get(id) ?? [])));
      known.set(entry, found);
      return found;
    },
    count: () => byKey.size,
  };
}

const isIn = ({ classes, phrases }: LexiconEntry, wanted: ChoiceSet): boolean =>
  [classes, ...phrases.map((phrase) => phrase.classes)].some((own) => [...own].some((id) => wanted.classes.has(id)));

function memoize(ask: (entry: LexiconEntry) => boolean): (entry: LexiconEntry) => boolean {
  const known = new Map<LexiconEntry, boolean>();
  return (entry) => {
    const before = known.get(entry);
    if (before !== undefined) return before;
    const answer = ask(entry);
    known.set(entry, answer);
    return answer;
  };
}
