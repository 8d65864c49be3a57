// Whether the words that a rule needs stand near a place: asked for every rule that may begin there, so it is a look at a few numbers. A text is
// read from its end, so that what comes next is known.
import type { Token } from '../readings/reading.ts';
import type { Entry } from '../lexicon/entry.ts';
import type { ChoiceSets } from './choice-sets.ts';

/** `after`: how many words behind the first one it may stand at most, as many more as `slacks` times the reading's slack; `around`: on either side. */
export type Need = { set: number; after: number; slacks: number } | { set: number; around: number };

export type NeededWords = {
  /** Of the token that comes next, from the last one to the first. @param needs what was missing is asked for first the next time */
  areNear(at: number, needs: Need[]): boolean;
  /** The token is behind those that are asked for from now on. */
  pass(at: number): void;
};

/** Tokens before a place are looked at together. */
const BLOCK = 32;

/** @param needs all that will be asked for */
export function createNeeding(needs: readonly Need[], sets: ChoiceSets) {
  const wide = needs.flatMap((need) => ('around' in need ? [need] : []));
  const reach = Math.max(0, ...wide.map(({ around }) => around));
  const neededOf = setsAmong(needs, sets);
  const wideOf = setsAmong(wide, sets);
  // Made once: most texts are short. What a reading before this one wrote has a smaller stamp.
  /** Of each set, the number of the next word that is in it. */
  const next = new Int32Array(sets.count());
  const nextStamps = new Float64Array(sets.count());
  /** Of each set, the last block in which, or shortly before which, a word of it stands. */
  const seenStamps = new Float64Array(sets.count());
  let stamp = 0;
  return (tokens: readonly Token[], slack: number): NeededWords => {
    const own = (stamp += 1);
    let block = 0;
    let blockStamp = 0;
    const read = (wanted: number) => {
      block = wanted;
      blockStamp = stamp += 1;
      const end = Math.min(tokens.length, block * BLOCK);
      for (let at = Math.max(0, (block - 1) * BLOCK - reach); at < end; at++) {
        const entry = tokens[at]?.entry;
        if (entry) for (const id of wideOf(entry)) seenStamps[id] = blockStamp;
      }
    };
    const isNear = (need: Need, at: number, index: number): boolean => {
      const distance = nextStamps[need.set] === own ? (next[need.set] ?? 0) - index : Number.POSITIVE_INFINITY;
      if (!('around' in need)) return distance <= need.after + need.slacks * slack;
      if (distance <= need.around) return true;
      const wanted = Math.floor(at / BLOCK) + 1;
      if (wanted !== block) read(wanted);
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
        for (const id of neededOf(token.entry)) {
          next[id] = token.index;
          nextStamps[id] = own;
        }
      },
    };
  };
}

/** Of the sets of a word those that are needed. */
function setsAmong(needs: readonly Need[], sets: ChoiceSets): (entry: Entry) => Uint16Array {
  const wanted = new Set(needs.map(({ set }) => set));
  const known = new Map<Entry, Uint16Array>();
  return (entry) => {
    const before = known.get(entry);
    if (before) return before;
    const found = sets.with(entry).filter((id) => wanted.has(id));
    known.set(entry, found);
    return found;
  };
}
