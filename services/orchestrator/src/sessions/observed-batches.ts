// Batches that wait for an observer of a stream, in order. While the observer is at work, adjacent pieces of one part
// are joined. Bounded: an observer that lags too far receives no more.
import type { Chunk } from '@millrace/contracts';
import { joinPieces } from '../transcript/text-pieces.ts';
import { MAX_OBSERVED_WAITING } from '../state/observer-queues.ts';
import { estimateBytes } from './step-record.ts';

/** Approximate total: characters and their envelopes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export type ObservedBatches = {
  /** Returns false if the bounds are exceeded: the waiting batches are discarded. */
  tryAdd(chunks: readonly Chunk[]): boolean;
  /** Removes and returns the first batch. */
  take(): readonly Chunk[] | undefined;
  isEmpty(): boolean;
};

type WaitingBatch = { chunks: Chunk[]; bytes: number };
type BatchBounds = { maxBatches: number; maxBytes: number };

export function createObservedBatches(
  { maxBatches, maxBytes }: BatchBounds = { maxBatches: MAX_OBSERVED_WAITING, maxBytes: MAX_WAITING_BYTES },
): ObservedBatches {
  let waiting: WaitingBatch[] = [];
  let bytes = 0;
  return {
    tryAdd(chunks) {
      const more = chunks.reduce((sum, chunk) => sum + estimateBytes(chunk), 0);
      const left = [...chunks];
      const last = waiting.at(-1);
      if (last) while (tryJoinFirst(last.chunks, left)) left.shift();
      bytes += more;
      if (last) last.bytes += left.length === 0 ? more : 0;
      if (left.length > 0) waiting.push({ chunks: left, bytes: more });
      if (waiting.length <= maxBatches && bytes <= maxBytes) return true;
      waiting = [];
      bytes = 0;
      return false;
    },
    take() {
      const first = waiting.shift();
      bytes -= first?.bytes ?? 0;
      return first?.chunks;
    },
    isEmpty: () => waiting.length === 0,
  };
}

/** Joins the first chunk of `more` to the last one of `chunks` if both are pieces of one part. */
function tryJoinFirst(chunks: Chunk[], [first]: readonly Chunk[]): boolean {
  const last = chunks.at(-1);
  const joined = last && first && joinPieces(last, first);
  if (!joined) return false;
  chunks[chunks.length - 1] = joined;
  return true;
}
