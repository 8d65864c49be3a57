// Whether the log still has what a reader asks for. It forgets from the front, by age: a run that is older than that, or longer,
// must be told so, since an answer without its first chunks would read as if they had been retracted. Pure.
import type { ChunkBatch, RunHead } from '@millrace/contracts';
import { lastIndex } from '../state/run-head.ts';
import type { Base, Position } from './visible-chunks.ts';

type Owned = Pick<RunHead, 'nextIndex' | 'status'> & { owners: readonly Base[] };

/**
 * @param logged from the message on that holds the first position that is needed
 * @param isOver the run publishes nothing more: the last chunk is kept apart
 */
export function areChunksGone(logged: readonly ChunkBatch[], head: Owned, from: Position, isOver: boolean): boolean {
  const first = firstNeeded(head, from, isOver);
  if (!first || logged.some((batch) => holds(batch, first))) return false;
  // What is not logged yet is not gone; but then nothing after it is logged either.
  return isOver || logged.some((batch) => isBehind(batch, first));
}

/** The first position from `from` on that an owner has named as acknowledged by the log, or will. */
export function firstNeeded(
  { owners, nextIndex, status }: Owned,
  from: Position,
  isOver: boolean,
): Position | undefined {
  for (const [at, base] of owners.entries()) {
    if (base.epoch < from.epoch) continue;
    const index = base.epoch === from.epoch ? Math.max(base.index, from.index) : base.index;
    const end = owners[at + 1]?.index ?? (isOver ? lastIndex({ status, nextIndex }) : Infinity);
    if (index < end) return { epoch: base.epoch, index };
  }
  return undefined;
}

export const holds = ({ epoch, index, chunks }: ChunkBatch, position: Position): boolean =>
  epoch === position.epoch && index <= position.index && position.index < index + chunks.length;
export const isBehind = (batch: ChunkBatch, { epoch, index }: Position): boolean =>
  batch.epoch > epoch || (batch.epoch === epoch && batch.index > index);
