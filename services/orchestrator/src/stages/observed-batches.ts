// What an observer of a stream has not been given yet: batches, in the order in which they came. It is behind for as long as it is at work;
// meanwhile pieces that follow one another in one part become one. Bounded: who falls too far behind is given no more.
import type { Chunk } from '@millrace/contracts';
import { joinedPieces } from '../state/held-chunks.ts';
import { MAX_OBSERVED_WAITING } from '../state/observer-queues.ts';
import { bytesOf } from './step-record.ts';

/** Of all that waits, roughly: characters, and what stands around them. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export type ObservedBatches = {
  /** false: there is no room for it, and what waited is gone. */
  add(chunks: readonly Chunk[]): boolean;
  /** The first of them. */
  take(): readonly Chunk[] | undefined;
  isEmpty(): boolean;
};

type Waiting = { chunks: Chunk[]; bytes: number };
type Bounds = { maxBatches: number; maxBytes: number };

export function createObservedBatches(
  { maxBatches, maxBytes }: Bounds = { maxBatches: MAX_OBSERVED_WAITING, maxBytes: MAX_WAITING_BYTES },
): ObservedBatches {
  let waiting: Waiting[] = [];
  let bytes = 0;
  return {
    add(chunks) {
      const more = chunks.reduce((sum, chunk) => sum + bytesOf(chunk), 0);
      const left = [...chunks];
      const last = waiting.at(-1);
      if (last) while (joinFirst(last.chunks, left)) left.shift();
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

/** The first of `more` becomes part of the last of `chunks`, where both are pieces of one part. */
function joinFirst(chunks: Chunk[], [first]: readonly Chunk[]): boolean {
  const last = chunks.at(-1);
  const joined = last && first && joinedPieces(last, first);
  if (!joined) return false;
  chunks[chunks.length - 1] = joined;
  return true;
}
