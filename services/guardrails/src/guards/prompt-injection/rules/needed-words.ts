// Decides whether the rarest words that a rule needs are near a place. It runs for each rule that may start there, so it compares a few
// numbers of one array; most rules end here. The text is read from its end, so that the following words are known.
import { ORDINARY_WORDS } from '../lexicon/lexicon-files.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { ChoiceSets } from './choice-sets.ts';

/**
 * A set of which a rule needs one word, up to `distance` words plus `slacks` times the reading's slack after the first word, or before or
 * after it if `isAround`.
 */
export type Need = { set: number; distance: number; slacks: number; isAround: boolean };

/**
 * What a word means for the rules: `gates`, two needs of each rule that it can start, as a place in `Nearest` and the maximum distance to
 * that word; `after` and `around`, the places at which the word is noted for other rules.
 */
export type WordGates = { gates: Int32Array; after: Uint16Array; around: Uint16Array };
const WIDTH = 4;

/**
 * For each set, the index of its first word after the token; then the same, counted from `reach` words before the token; then a word that
 * is always near.
 */
export type Nearest = Int32Array;
/** Index of a word that the reading has not shown yet. */
const NOWHERE = 0x3fff_ffff;

export function resetNearest(nearest: Nearest): void {
  nearest.fill(NOWHERE);
  nearest[nearest.length - 1] = 0;
}

export function noteWord(nearest: Nearest, places: Uint16Array, index: number): void {
  for (let at = 0; at < places.length; at++) nearest[places[at] ?? 0] = index;
}

/** Returns whether the words that a rule needs are near. May return true without them, but not false with them. */
export const isOpen = (nearest: Nearest, gates: Int32Array, rule: number, index: number): boolean =>
  isNear(nearest, gates, rule * WIDTH, index) && isNear(nearest, gates, rule * WIDTH + 2, index);

const isNear = (nearest: Nearest, gates: Int32Array, at: number, index: number): boolean =>
  (nearest[gates[at] ?? 0] ?? 0) - index <= (gates[at + 1] ?? 0);

export type NeededWords = {
  nearest: Nearest;
  /** Number of words before a token from which words around it are noted. */
  reach: number;
  /** @param rules that the word can start */
  createGates(entry: LexiconEntry, rules: readonly { needs: readonly Need[] }[]): WordGates;
};

/** @param needs all needs of the rules @param slack of the readings */
export function createNeededWords(needs: readonly Need[], sets: ChoiceSets, slack: number): NeededWords {
  const wide = needs.filter(({ isAround }) => isAround);
  const wanted = new Set(needs.map(({ set }) => set));
  const wantedAround = new Set(wide.map(({ set }) => set));
  const count = sets.count();
  const toGate = (need: Need | undefined): readonly [place: number, distance: number] =>
    need ? [need.set + (need.isAround ? count : 0), need.distance + need.slacks * slack] : [2 * count, 0];
  return {
    nearest: new Int32Array(2 * count + 1),
    reach: Math.max(0, ...wide.map(({ distance }) => distance)),
    createGates(entry, rules) {
      const own = sets.listSetsWith(entry);
      return {
        gates: Int32Array.from(rules.flatMap(({ needs: [one, two] }) => [...toGate(one), ...toGate(two)])),
        after: own.filter((id) => wanted.has(id)),
        around: own.filter((id) => wantedAround.has(id)).map((id) => count + id),
      };
    },
  };
}

/** Share of a common word in a set's commonness; a filler counts once. */
const COMMON = 0.05;

/** Returns a function that selects the two needs with the fewest ordinary words in their sets. */
export function createNeedChoice(lexicon: Lexicon, sets: ChoiceSets): (needs: readonly Need[]) => Need[] {
  const commonness = new Float64Array(sets.count());
  const count = (words: string, weight: number): void => {
    for (const word of words.split(' ')) {
      const entry = lexicon.plain.find(word);
      for (const id of entry ? sets.listSetsWith(entry) : []) commonness[id] = (commonness[id] ?? 0) + weight;
    }
  };
  count(ORDINARY_WORDS.fillers, 1);
  count(ORDINARY_WORDS.common, COMMON);
  const rank = (need: Need): number => commonness[need.set] ?? 0;
  return (needs) => needs.toSorted((one, other) => rank(one) - rank(other)).slice(0, 2);
}
