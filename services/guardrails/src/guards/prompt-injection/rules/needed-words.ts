// Decides whether the rarest words that a rule needs are near a place. It runs for each rule that may start there, so it compares a few
// numbers of one array; most rules end here. The text is read from its end, so that the following words are known.
import { ORDINARY_WORDS } from '../lexicon/lexicon-files.ts';
import { cacheByEntry, type LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { RuleReading } from '../readings/reading.ts';
import type { ChoiceSets } from './choice-sets.ts';

/**
 * A set of which a rule needs one word, up to `distance` words plus `slacks` times the reading's slack after the first word, or before or
 * after it if `isAround`.
 */
export type Need = { set: number; distance: number; slacks: number; isAround: boolean };

/** Two needs of each rule, as the place of the word in `NeededWords` and the maximum distance to it. */
export type Gates = Int32Array;
const WIDTH = 4;

export type NeededWords = {
  createGates(rules: readonly { needs: readonly Need[] }[]): Gates;
  /** Starts a reading at its end. */
  start(reading: RuleReading): void;
  /** Moves to the preceding token. */
  moveTo(at: number): void;
  /** Returns whether the words that the rule needs are near. May return true without them, but not false with them. */
  isOpen(gates: Gates, rule: number): boolean;
};

/** Index of a word that the reading has not shown yet. */
const NOWHERE = 0x3fff_ffff;

/** @param needs all needs of the rules @param slack of the readings */
export function createNeededWords(needs: readonly Need[], sets: ChoiceSets, slack: number): NeededWords {
  const wide = needs.filter(({ isAround }) => isAround);
  const reach = Math.max(0, ...wide.map(({ distance }) => distance));
  const listAfter = selectSets(needs, sets);
  const listAround = selectSets(wide, sets);
  const count = sets.count();
  /**
   * For each set, the index of its first word after the token; then the same, counted from `reach` words before the token; then a word that
   * is always near.
   */
  const nearest = new Int32Array(2 * count + 1);
  let tokens: RuleReading['tokens'] = [];
  let index = 0;
  let front = 0;
  const setAll = (ids: Uint16Array, from: number, value: number): void => {
    for (let at = 0; at < ids.length; at++) nearest[from + (ids[at] ?? 0)] = value;
  };
  const toGate = (need: Need | undefined): readonly [place: number, distance: number] =>
    need ? [need.set + (need.isAround ? count : 0), need.distance + need.slacks * slack] : [2 * count, 0];
  const isNear = (gates: Gates, at: number): boolean => (nearest[gates[at] ?? 0] ?? 0) - index <= (gates[at + 1] ?? 0);
  return {
    createGates: (rules) => Int32Array.from(rules.flatMap(({ needs: [one, two] }) => [...toGate(one), ...toGate(two)])),
    start(reading) {
      tokens = reading.tokens;
      front = tokens.length - 1;
      nearest.fill(NOWHERE);
      nearest[2 * count] = 0;
    },
    moveTo(at) {
      const last = tokens[at + 1];
      if (last) setAll(listAfter(last.entry), 0, last.index);
      index = tokens[at]?.index ?? 0;
      for (; front >= 0; front--) {
        const token = tokens[front];
        if (!token || token.index < index - reach) break;
        setAll(listAround(token.entry), count, token.index);
      }
    },
    isOpen: (gates, rule) => isNear(gates, rule * WIDTH) && isNear(gates, rule * WIDTH + 2),
  };
}

/** Selects the needed sets of a word. */
function selectSets(needs: readonly Need[], sets: ChoiceSets): (entry: LexiconEntry) => Uint16Array {
  const wanted = new Set(needs.map(({ set }) => set));
  return cacheByEntry((entry) => sets.listSetsWith(entry).filter((id) => wanted.has(id)));
}

/** Share of a common word in a set's commonness; a filler counts once. */
const COMMON = 0.05;

/** Returns a function that selects the two needs whose sets contain the fewest ordinary words. */
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
