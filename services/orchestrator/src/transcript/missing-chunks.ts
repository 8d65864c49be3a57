// Decides whether the log still has the requested chunks. The log drops its oldest messages: a reader of an older or
// longer run gets an error, because an answer without its first chunks would look as if they had been retracted. Pure.
import { isAfter, containsPosition, type ChunkBatch, type Position, type RunHead } from '@millrace/contracts';
import { getLastIndex } from '../head/run-head.ts';
import type { Base } from './visible-chunks.ts';

type OwnedChunks = Pick<RunHead, 'nextIndex' | 'status'> & { owners: readonly Base[] };

/**
 * @param logged from the message on that holds the first required position
 * @param isOver the run publishes nothing more: the last chunk is stored separately
 */
export function areChunksMissing(
  logged: readonly ChunkBatch[],
  head: OwnedChunks,
  from: Position,
  isOver: boolean,
): boolean {
  const first = findFirstNeeded(head, from, isOver);
  if (!first || logged.some((batch) => containsPosition(batch, first))) return false;
  // Chunks that are not logged yet are not missing; but then no later chunk is logged either.
  return isOver || logged.some((batch) => isAfter(batch, first));
}

/** Returns the first position from `from` on that an owner has named as acked by the log, or will name. */
export function findFirstNeeded(
  { owners, nextIndex, status }: OwnedChunks,
  from: Position,
  isOver: boolean,
): Position | undefined {
  for (const [at, base] of owners.entries()) {
    if (base.epoch < from.epoch) continue;
    const index = base.epoch === from.epoch ? Math.max(base.index, from.index) : base.index;
    const end = owners[at + 1]?.index ?? (isOver ? getLastIndex({ status, nextIndex }) : Infinity);
    if (index < end) return { epoch: base.epoch, index };
  }
  return undefined;
}
