// Live and replayed chunks of a run, merged by position into the one order (epoch, index). Pure: a reducer that says what a
// reader may be given next. It never gives a chunk twice and never skips one silently: what is missing is a gap, and only a
// replay, which covers everything from the position that was asked for, can say that nothing belongs there any more.
//
// A live batch of a higher epoch is a gap too, though it begins with a retract of its own index: which epochs and chunks came
// before it, the live subject alone cannot tell. The replay does, and there the higher epoch drops what was given from its
// first index on (its first chunk is the retract that says so to the reader).
import { endsRun, type Chunk } from '@millrace/contracts';

export type Position = { epoch: number; index: number };
export type PositionedChunk = Position & { chunk: Chunk };
/** Chunks of one owner, `index` being that of the first. */
export type Batch = Position & { chunks: readonly Chunk[] };
/**
 * What api.replay says: everything from the position asked for, but what was retracted, as much as one answer holds. A retract
 * that takes back what stands before that position is among it. Where to ask on from is after its last chunk: the epoch that an
 * answer names is the run's, which may have published nothing yet.
 */
export type Replayed = { batches: readonly Batch[] };

export type ChunkMerge = {
  /** Position of the next chunk. */
  next: Position;
  /** Batches that came too early, in order. */
  waiting: readonly Batch[];
  /** The last chunk of the run was given. */
  ended: boolean;
  /** What the run waited for up to this epoch has been answered: that it was put away is no end, and nobody need hear of it. */
  answeredTo: number;
};
export type Merged = { merge: ChunkMerge; accepted: PositionedChunk[] };

/** Chunks that wait after a gap, at most; the furthest are dropped first, and come again by replay. */
export const MAX_WAITING_CHUNKS = 10_000;

export const FIRST_POSITION: Position = { epoch: 1, index: 0 };

export function startMerge(from: Position = FIRST_POSITION, answeredTo = 0): ChunkMerge {
  return { next: from, waiting: [], ended: false, answeredTo };
}

/** Something is missing that a replay must bring. */
export const hasGap = (merge: ChunkMerge): boolean => merge.waiting.length > 0;

export function comparePositions(a: Position, b: Position): number {
  return a.epoch - b.epoch || a.index - b.index;
}

export function mergeLive(merge: ChunkMerge, batch: Batch): Merged {
  if (merge.ended || isOver(merge.next, batch)) return { merge, accepted: [] };
  return giveWaiting({ ...merge, waiting: bounded([...merge.waiting, batch].sort(comparePositions)) });
}

/** @param answer to a question that was asked from `merge.next` as it was then, or is now */
export function mergeReplay(merge: ChunkMerge, answer: Replayed): Merged {
  const accepted: PositionedChunk[] = [];
  let now = merge;
  for (const batch of answer.batches.toSorted(comparePositions)) {
    if (now.ended || isOver(now.next, batch)) continue;
    now = give(
      now,
      batch,
      batch.epoch > now.next.epoch ? batch.index : Math.max(now.next.index, batch.index),
      accepted,
    );
  }
  return giveWaiting(now, accepted);
}

/** Gives what waits and now follows, and forgets what waits in vain. */
function giveWaiting(merge: ChunkMerge, accepted: PositionedChunk[] = []): Merged {
  let now = merge;
  for (const batch of merge.waiting) {
    if (isOver(now.next, batch)) continue;
    if (now.ended || batch.epoch !== now.next.epoch || batch.index > now.next.index) break;
    now = give(now, batch, now.next.index, accepted);
  }
  const waiting = now.ended ? [] : now.waiting.filter((batch) => !isOver(now.next, batch));
  return { merge: { ...now, waiting }, accepted };
}

/** Gives the batch from `from` on, up to the run's last chunk: adds to `accepted`. */
function give(merge: ChunkMerge, batch: Batch, from: number, accepted: PositionedChunk[]): ChunkMerge {
  const { epoch } = batch;
  const rest = batch.chunks.slice(from - batch.index);
  const isAnswered = ({ type }: Chunk) => type === 'suspended' && epoch <= merge.answeredTo;
  const last = rest.findIndex((chunk) => endsRun(chunk) && !isAnswered(chunk));
  const chunks = last < 0 ? rest : rest.slice(0, last + 1);
  for (const [at, chunk] of chunks.entries()) if (!isAnswered(chunk)) accepted.push({ epoch, index: from + at, chunk });
  return { ...merge, next: { epoch, index: from + chunks.length }, ended: last >= 0 };
}

/** Nothing in the batch is new: it is all before `next`, or empty. */
function isOver(next: Position, { epoch, index, chunks }: Batch): boolean {
  return epoch < next.epoch || (epoch === next.epoch && index + chunks.length <= next.index) || chunks.length === 0;
}

function bounded(waiting: Batch[]): Batch[] {
  let count = 0;
  // The first one stays, however large: it is what says that there is a gap.
  return waiting.filter(({ chunks }, at) => (count += chunks.length) <= MAX_WAITING_CHUNKS || at === 0);
}
