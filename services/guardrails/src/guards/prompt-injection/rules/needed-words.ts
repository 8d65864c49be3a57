// Decides whether the words that a rule needs are near a place. It runs for each rule that may start there, so it
// compares only a few numbers. The text is read from its end, so that the following words are known.
import type { RuleToken } from '../readings/reading.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';
import type { ChoiceSets } from './choice-sets.ts';

/**
 * `after`: maximum distance after the first word, in words, plus `slacks` times the reading's slack. `around`: maximum
 * distance on both sides.
 */
export type Need = { set: number; after: number; slacks: number } | { set: number; around: number };

export type NeededWords = {
  /**
   * Returns whether the needed words are near the next token. @param needs reordered, so that the missing one is
   * checked first next time
   */
  areNear(at: number, needs: Need[]): boolean;
  /** Moves to the preceding token. */
  pass(at: number): void;
};

/** Number of tokens in a block that is scanned ahead. */
const BLOCK = 32;

/** @param needs all needs of the rules */
export function createNeeding(needs: readonly Need[], sets: ChoiceSets) {
  const wide = needs.flatMap((need) => ('around' in need ? [need] : []));
  const reach = Math.max(0, ...wide.map(({ around }) => around));
  const findNeeded = selectSets(needs, sets);
  const findWide = selectSets(wide, sets);
  // Reused for all texts, because most are short. Values of an earlier reading have a smaller stamp.
  /** For each set, the number of its next word. */
  const next = new Int32Array(sets.count());
  const nextStamps = new Float64Array(sets.count());
  /** For each set, the last block that contains or closely follows one of its words. */
  const seenStamps = new Float64Array(sets.count());
  let stamp = 0;
  return (tokens: readonly RuleToken[], slack: number): NeededWords => {
    const own = (stamp += 1);
    let block = 0;
    let blockStamp = 0;
    const readToken = (wanted: number) => {
      block = wanted;
      blockStamp = stamp += 1;
      const end = Math.min(tokens.length, block * BLOCK);
      for (let at = Math.max(0, (block - 1) * BLOCK - reach); at < end; at++) {
        const entry = tokens[at]?.entry;
        if (entry) for (const id of findWide(entry)) seenStamps[id] = blockStamp;
      }
    };
    const isNear = (need: Need, at: number, index: number): boolean => {
      const distance = nextStamps[need.set] === own ? (next[need.set] ?? 0) - index : Number.POSITIVE_INFINITY;
      if (!('around' in need)) return distance <= need.after + need.slacks * slack;
      if (distance <= need.around) return true;
      const wanted = Math.floor(at / BLOCK) + 1;
      if (wanted !== block) readToken(wanted);
      return seenStamps[need.set] === blockStamp;
    };
    return {
      areNear(at, asked) {
        const index = tokens[at]?.index ?? 0;
        for (let n = 0; n < asked.length; n++) {
          const need = asked[n];
          if (!need || isNear(need, at, index)) continue;
          asked.copyWithin(1, 0, n);
          asked[0] = need;
          return false;
        }
        return true;
      },
      pass(at) {
        const token = tokens[at];
        if (!token) return;
        for (const id of findNeeded(token.entry)) {
          next[id] = token.index;
          nextStamps[id] = own;
        }
      },
    };
  };
}

/** Selects the needed sets of a word. */
function selectSets(needs: readonly Need[], sets: ChoiceSets): (entry: LexiconEntry) => Uint16Array {
  const wanted = new Set(needs.map(({ set }) => set));
  const known = new Map<LexiconEntry, Uint16Array>();
  return (entry) => {
    const before = known.get(entry);
    if (before) return before;
    const found = sets.listSetsWith(entry).filter((id) => wanted.has(id));
    known.set(entry, found);
    return found;
  };
}
