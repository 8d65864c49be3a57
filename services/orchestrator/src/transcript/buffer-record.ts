// Records the buffered chunks in the run's records, from which the next owner restores them. Only new chunks are
// recorded.
import type { Chunk, RunAction } from '@millrace/contracts';
import type { BufferedChunk } from './buffered-chunks.ts';

/** Size limit of one action, as JSON: a record contains at least one action and is one message. */
const MAX_ACTION_BYTES = 1024 * 1024;

export type HeldRecord = {
  /** Notes that only the first `same` chunks are unchanged. */
  noteChange(same: number): void;
  takeUnrecorded(held: readonly BufferedChunk[]): RunAction[];
  /** Notes that the chunks were restored from a record. */
  noteRestored(count: number): void;
};

export function createHeldRecord(): HeldRecord {
  let recorded = 0;
  let same = 0;
  return {
    noteChange: (count) => void (same = Math.min(same, count)),
    takeUnrecorded(held) {
      if (same === recorded && held.length === same) return [];
      const actions = splitIntoActions(held.slice(same), same);
      recorded = held.length;
      same = held.length;
      return actions;
    },
    noteRestored(count) {
      recorded = count;
      same = count;
    },
  };
}

function splitIntoActions(held: readonly BufferedChunk[], from: number): RunAction[] {
  const actions: { action: 'chunks-held'; keep: number; chunks: Chunk[] }[] = [];
  let keep = from;
  let bytes = Infinity;
  for (const one of held) {
    if (bytes + one.bytes > MAX_ACTION_BYTES) {
      actions.push({ action: 'chunks-held', keep, chunks: [] });
      bytes = 0;
    }
    actions.at(-1)?.chunks.push(one.chunk);
    keep += 1;
    bytes += one.bytes;
  }
  return actions.length > 0 ? actions : [{ action: 'chunks-held', keep: from, chunks: [] }];
}
