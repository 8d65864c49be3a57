// Limits of how often a step's sessions are moved. A lost replica is no fault of the step, but a chunk that kills every replica must not go
// through all of them, and a processor that breaks has its attempts, as in a stage call. A replica that is stopping ends its sessions in
// order; many replicas may stop one after the other while the model sends nothing.
import type { PlanEntry, VerdictOf } from '@millrace/contracts';

/** In one step, whatever for. */
const MAX_MOVES = 8;
/** Sessions that replicas ended themselves, as a rolling restart does: bounded, because a replica may do so for ever. */
const MAX_LEAVES = 32;
/** One after the other at the same place: no chunk more was processed than before the move ahead. */
const MAX_MOVES_IN_PLACE = 3;

type Loss = {
  entry: PlanEntry;
  failure: VerdictOf<'failure'>;
  /** How many chunks its session had processed. */
  place: number;
  /** The replica has ended the session itself, with `session-lost`. */
  isReported: boolean;
};

export type MovingLimits = {
  /** Counts it. */
  allow(loss: Loss): boolean;
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
      if (!loss.failure.retryable) return false;
      const isLost = loss.failure.code === 'session-lost';
      if (isLost && loss.isReported) return (leaves += 1) <= MAX_LEAVES;
      if (moves >= MAX_MOVES) return false;
      const isAllowed = isLost ? allowLost(loss) : allowBroken(loss);
      if (isAllowed) moves += 1;
      return isAllowed;
    },
    moves: () => moves + leaves,
  };
}
