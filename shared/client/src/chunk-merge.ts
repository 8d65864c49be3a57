// Merges live and replayed chunks of a run by position into the order (epoch, index). Pure: a reducer that returns the
// next chunks for a reader. It never passes a chunk twice and never skips one silently: a missing position is a gap,
// and only a replay, which covers everything from the requested position, can close it.
//
// A live batch of a higher epoch is a gap too, though it starts with a retract of its own index: only a replay shows
// the earlier epochs and their bases.
import {
  comparePositions,
  endsBefore,
  endsRun,
  type Chunk,
  type Position,
  type PositionedItem,
} from '@millrace/contracts';

export type PositionedChunk = PositionedItem<Chunk>;
/** Chunks of one owner; `index` is that of the first. */
export type StoredBatch = Position & { chunks: readonly Chunk[] };
/**
 * Reply of api.replay: everything from the requested position except retracted chunks, as much as one reply holds. A
 * retract that reaches below that position is included. The next request starts after its last chunk: the epoch in a
 * reply is that of the run, which may have published nothing yet.
 */
export type ReplayedBatches = { batches: readonly StoredBatch[] };

export type ChunkMerge = {
  /** Position of the next chunk. */
  next: Position;
  /** Batches ahead of the next position, in order. */
  waiting: readonly StoredBatch[];
  /** The last chunk of the run was passed. */
  ended: boolean;
  /**
   * Suspensions up to this epoch have been answered: their `suspended` chunks do not end the stream and are not passed.
   */
  answeredTo: number;
  /**
   * Tokens of answered questions. An orchestrator that has suspended the run again at the time of an answer lists its question in a later
   * epoch too, and resumes the run afterwards.
   */
  answeredTokens: readonly string[];
};
export type MergedChunks = { merge: ChunkMerge; accepted: PositionedChunk[] };

/**
 * Maximum number of chunks that wait after a gap; the highest positions are dropped first, and a replay returns them.
 */
export const MAX_WAITING_CHUNKS = 10_000;

export const FIRST_POSITION: Position = { epoch: 1, index: 0 };

export function startMerge(
  from: Position = FIRST_POSITION,
  answeredTo = 0,
  answeredTokens: readonly string[] = [],
): ChunkMerge {
  return { next: from, waiting: [], ended: false, answeredTo, answeredTokens };
}

/** Returns true if chunks are missing that a replay must return. */
export const hasGap = (merge: ChunkMerge): boolean => merge.waiting.length > 0;

export function mergeLive(merge: ChunkMerge, batch: StoredBatch): MergedChunks {
  if (merge.ended || isOver(merge.next, batch)) return { merge, accepted: [] };
  return giveWaiting({ ...merge, waiting: limitWaiting([...merge.waiting, batch].sort(comparePositions)) });
}

/** @param answer reply to a request from `merge.next`, or from an earlier one */
export function mergeReplay(merge: ChunkMerge, answer: ReplayedBatches): MergedChunks {
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

/** Passes waiting batches that follow now, and drops outdated ones. */
function giveWaiting(merge: ChunkMerge, accepted: PositionedChunk[] = []): MergedChunks {
  let now = merge;
  for (const batch of merge.waiting) {
    if (isOver(now.next, batch)) continue;
    if (now.ended || batch.epoch !== now.next.epoch || batch.index > now.next.index) break;
    now = give(now, batch, now.next.index, accepted);
  }
  const waiting = now.ended ? [] : now.waiting.filter((batch) => !isOver(now.next, batch));
  return { merge: { ...now, waiting }, accepted };
}

/** Passes the batch from `from` on, up to the run's last chunk: appends to `accepted`. */
function give(merge: ChunkMerge, batch: StoredBatch, from: number, accepted: PositionedChunk[]): ChunkMerge {
  const { epoch } = batch;
  const rest = batch.chunks.slice(from - batch.index);
  const isAnswered = (chunk: Chunk) =>
    chunk.type === 'suspended' && (epoch <= merge.answeredTo || hasAnyToken(chunk, merge.answeredTokens));
  const last = rest.findIndex((chunk) => endsRun(chunk) && !isAnswered(chunk));
  const chunks = last < 0 ? rest : rest.slice(0, last + 1);
  for (const [at, chunk] of chunks.entries()) if (!isAnswered(chunk)) accepted.push({ epoch, index: from + at, chunk });
  return { ...merge, next: { epoch, index: from + chunks.length }, ended: last >= 0 };
}

const hasAnyToken = (
  { payload: { resumeToken, pending = [] } }: Extract<Chunk, { type: 'suspended' }>,
  tokens: readonly string[],
): boolean =>
  [resumeToken, ...pending.map((one) => one.resumeToken)].some(
    (token) => token !== undefined && tokens.includes(token),
  );

/** Returns true if the batch is empty, or all of it is before `next`. */
const isOver = (next: Position, batch: StoredBatch): boolean => endsBefore(batch, next) || batch.chunks.length === 0;

function limitWaiting(waiting: StoredBatch[]): StoredBatch[] {
  let count = 0;
  // The first batch is kept for any size, because it marks the gap.
  return waiting.filter(({ chunks }, at) => (count += chunks.length) <= MAX_WAITING_CHUNKS || at === 0);
}
