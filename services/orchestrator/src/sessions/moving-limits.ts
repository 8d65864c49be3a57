// Limits how often a step's sessions are moved. A lost replica is not the step's failure, but a chunk that kills every
// replica must not reach all of them, and a processor that breaks has its attempts, as in a stage call. A stopping
// replica ends its sessions in order; many may stop one after the other while the model sends nothing.
import type { PlanEntry, VerdictOf } from '@millrace/contracts';

/** Moves of one step, for any reason. */
const MAX_MOVES = 8;
/** Sessions that replicas ended themselves, as in a rolling restart: bounded, because a replica may do so for ever. */
const MAX_LEAVES = 32;
/** Consecutive moves at the same position, without a processed chunk in between. */
const MAX_MOVES_IN_PLACE = 3;

type LostEntry = {
  entry: PlanEntry;
  failure: VerdictOf<'failure'>;
  /** Number of chunks that its session had processed. */
  place: number;
  /** The replica ended the session itself, with `session-lost`. */
  isReported: boolean;
};

export type MovingLimits = {
  /** Counts the loss and returns whether the sessions may be moved. */
  canMove(loss: LostEntry): boolean;
  countMoves(): number;
};

export function createMovingLimits(): MovingLimits {
  const lost = new Map<string, { place: number; times: number }>();
  const broken = new Map<string, number>();
  let moves = 0;
  let leaves = 0;

  const canMoveLost = ({ entry, place }: LostEntry): boolean => {
    const before = lost.get(entry.entry);
    const times = before && place <= before.place ? before.times + 1 : 1;
    lost.set(entry.entry, { place: Math.max(place, before?.place ?? 0), times });
    return times <= MAX_MOVES_IN_PLACE;
  };
  const canMoveBroken = ({ entry }: LostEntry): boolean => {
    const times = (broken.get(entry.entry) ?? 0) + 1;
    broken.set(entry.entry, times);
    return times < entry.attempts;
  };
  return {
    canMove(loss) {
      if (!loss.failure.retryable) return false;
      const isLost = loss.failure.code === 'session-lost';
      if (isLost && loss.isReported) return (leaves += 1) <= MAX_LEAVES;
      if (moves >= MAX_MOVES) return false;
      const isAllowed = isLost ? canMoveLost(loss) : canMoveBroken(loss);
      if (isAllowed) moves += 1;
      return isAllowed;
    },
    countMoves: () => moves + leaves,
  };
}
