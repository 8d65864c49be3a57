// What may stand at one place of a rule, as a number: words know by number where they may stand, so that a word is asked once, not for each of
// the many words that a place may hold.
import type { Entry } from '../lexicon/entry.ts';

/** `classes`: of one of these the word is, or begins a phrase that is. */
export type ChoiceSet = {
  id: number;
  classes: ReadonlySet<number>;
  /** Whether a word, or a phrase that it begins, may be meant. */
  has(entry: Entry): boolean;
};

export type ChoiceSets = {
  /** The same one for the same classes. */
  of(classes: readonly number[]): ChoiceSet;
  /** The sets that a word, or a phrase that it begins, is in. */
  with(entry: Entry): Uint16Array;
  count(): number;
};

export function createChoiceSets(): ChoiceSets {
  const byKey = new Map<string, ChoiceSet>();
  const byClass = new Map<number, number[]>();
  const known = new Map<Entry, Uint16Array>();
  return {
    of(classes) {
      const key = classes.toSorted((a, b) => a - b).join(' ');
      const before = byKey.get(key);
      if (before) return before;
      const made: ChoiceSet = {
        id: byKey.size,
        classes: new Set(classes),
        has: remembered((entry) => isIn(entry, made)),
      };
      byKey.set(key, made);
      for (const id of made.classes) byClass.set(id, [...(byClass.get(id) ?? []), made.id]);
      return made;
    },
    with(entry) {
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

const isIn = ({ classes, phrases }: Entry, wanted: ChoiceSet): boolean =>
  [classes, ...phrases.map((phrase) => phrase.classes)].some((own) => [...own].some((id) => wanted.classes.has(id)));

function remembered(ask: (entry: Entry) => boolean): (entry: Entry) => boolean {
  const known = new Map<Entry, boolean>();
  return (entry) => {
    const before = known.get(entry);
    if (before !== undefined) return before;
    const answer = ask(entry);
    known.set(entry, answer);
    return answer;
  };
}
