// What of the chunks that a run holds back stands in its records: the next owner gets them from there. Only what is new is recorded.
import type { Chunk, RunAction } from '@millrace/contracts';
import type { Held } from './held-chunks.ts';

/** Of chunks in one action, as JSON: a record holds one, and is one message. */
const MAX_ACTION_BYTES = 1024 * 1024;

export type HeldRecord = {
  /** Only so many at the front are as they were. */
  changed(same: number): void;
  unrecorded(held: readonly Held[]): RunAction[];
  /** They come out of a record. */
  restored(count: number): void;
};

export function createHeldRecord(): HeldRecord {
  let recorded = 0;
  let same = 0;
  return {
    changed: (count) => void (same = Math.min(same, count)),
    unrecorded(held) {
      if (same === recorded && held.length === same) return [];
      const actions = inActions(held.slice(same), same);
      recorded = held.length;
      same = held.length;
      return actions;
    },
    restored(count) {
      recorded = count;
      same = count;
    },
  };
}

function inActions(held: readonly Held[], from: number): RunAction[] {
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
