// Stores the chunks of a run for any number of readers: each reads all of them from the first, also if it starts late.
// Bounded: a reader that lags behind the buffer gets `chunks-gone` with the position to resume from, never a silent
// gap.
import type { MillraceError, Position } from '@millrace/contracts';
import { FIRST_POSITION, type PositionedChunk } from './chunk-merge.ts';
import { CutOffError } from './cut-off-error.ts';

/**
 * Maximum number of buffered chunks of one run for slow and late readers. With one token each this exceeds a run of 10
 * minutes by far.
 */
export const MAX_KEPT_CHUNKS = 100_000;
/** Dropped in groups, so that dropping costs nothing per chunk. */
const DROPPED_AT_ONCE = 0.1;
/** Maximum number of chunks that a reader receives at once. */
const MAX_BATCH = 1_000;

export type ChunkLog = {
  append(chunks: readonly PositionedChunk[]): void;
  /** The last chunk has arrived. */
  end(): void;
  /** No more chunks can arrive: readers get the error after the available ones. */
  fail(error: MillraceError): void;
  read(): AsyncGenerator<PositionedChunk, void, undefined>;
  /** Returns all available chunks at once: at most MAX_BATCH, at least one. */
  readBatches(): AsyncGenerator<readonly PositionedChunk[], void, undefined>;
  /** Position of the last chunk so far. */
  last(): PositionedChunk | undefined;
  /** Resolves when the log has ended or failed; with the error in the latter case. */
  outcome: Promise<MillraceError | undefined>;
};

/** @param from position of the first chunk */
export function createChunkLog(from: Position = FIRST_POSITION, maxKept: number = MAX_KEPT_CHUNKS): ChunkLog {
  const kept: PositionedChunk[] = [];
  /** Number of dropped chunks: the ordinal of kept[0]. */
  let dropped = 0;
  let closed: { error: MillraceError | undefined } | undefined;
  let changed = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<MillraceError | undefined>();

  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const close = (error: MillraceError | undefined) => {
    if (closed) return;
    closed = { error };
    outcome.resolve(error);
    wake();
  };
  async function* readBatches() {
    let next = from;
    for (let at = 0; ;) {
      if (at < dropped) throw new CutOffError(dropped - at, next);
      const batch = kept.slice(at - dropped, at - dropped + MAX_BATCH);
      const last = batch.at(-1);
      if (last) {
        at += batch.length;
        next = { epoch: last.epoch, index: last.index + 1 };
        yield batch;
      } else if (closed) {
        if (closed.error) throw closed.error;
        return;
      } else await changed.promise;
    }
  }
  return {
    append(chunks) {
      if (closed || chunks.length === 0) return;
      kept.push(...chunks);
      // A replay returns more chunks than the bound at once: no reader could have read those.
      const earlier = kept.length - chunks.length;
      if (kept.length > maxKept && earlier > 0) {
        const surplus = Math.min(earlier, kept.length - Math.ceil(maxKept * (1 - DROPPED_AT_ONCE)));
        kept.splice(0, surplus);
        dropped += surplus;
      }
      wake();
    },
    end: () => close(undefined),
    fail: close,
    async *read() {
      for await (const batch of readBatches()) for (const chunk of batch) yield chunk;
    },
    readBatches,
    last: () => kept.at(-1),
    outcome: outcome.promise,
  };
}
