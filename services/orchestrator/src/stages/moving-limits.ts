// How often a step's sessions are moved. A replica that is lost is nobody's fault, but a chunk that kills whoever is given it must not
// go through all replicas; and a processor that breaks has its attempts, as in a stage call. One that is being stopped is no loss: many may
// be, one after the other, while the model says nothing.
import type { PlanEntry, VerdictOf } from '@millrace/contracts';

/** In one step, whatever for. */
const MAX_MOVES = 8;
/** Because a replica says that it is stopping: it may be saying so all the time. */
const MAX_LEAVES = 32;
/** One after the other at the same place: no chunk more was processed than before the move ahead. */
const MAX_MOVES_IN_PLACE = 3;

type Loss = {
  entry: PlanEntry;
  failure: VerdictOf<'failure'>;
  /** How many chunks its session had processed. */
  place: number;
};

export type MovingLimits = {
  /** Counts it. */
  allow(loss: Loss): boolean;
  /** Counts it: a replica is left that still serves. */
  allowLeaving(): boolean;
  moves(): number;
};

export function createMovingLimits(): MovingLimits {
  const lost = new Map<string, { place: number; times: number }>();
  const broken = new Map<string, number>();
  let moves = 0;
  let leaves = 0;

  const allowLost = ({ entry, place }: Loss): boolean => {
    const before = lost.get(entry.entry);
    const times = before && place <= before.place ? before.times + 1 : 1;
    lost.set(entry.entry, { place: Math.max(place, before?.place ?? 0), times });
    return times <= MAX_MOVES_IN_PLACE;
  };
  const allowBroken = ({ entry }: Loss): boolean => {
    const times = (broken.get(entry.entry) ?? 0) + 1;
    broken.set(entry.entry, times);
    return times < entry.attempts;
  };
  return {
    allow(loss) {
      if (moves >= MAX_MOVES || !loss.failure.retryable) return false;
      const isAllowed = loss.failure.code === 'session-lost' ? allowLost(loss) : allowBroken(loss);
      if (isAllowed) moves += 1;
      return isAllowed;
    },
    allowLeaving() {
      leaves += 1;
      return leaves <= MAX_LEAVES;
    },
    moves: () => moves + leaves,
  };
}
