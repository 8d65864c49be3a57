// The chunks of a run as far as this client knows them, for any number of readers: each sees all of them from the first, however
// late it comes. Bounded: a reader that is further behind than what is kept gets `chunks-gone` with the position to come back with, never
// a silent gap.
import type { MillraceError } from '@millrace/contracts';
import { FIRST_POSITION, type Position, type PositionedChunk } from './chunk-merge.ts';
import { CutOffError } from './cut-off-error.ts';

/** Chunks of one run that are kept for slow and late readers. A token each: far more than a run of 10 minutes says. */
export const MAX_KEPT_CHUNKS = 100_000;
/** Dropped at once when there are more, so that dropping costs nothing per chunk. */
const DROPPED_AT_ONCE = 0.1;

export type ChunkLog = {
  append(chunks: readonly PositionedChunk[]): void;
  /** The last chunk is in. */
  end(): void;
  /** Nothing more can be learnt: readers get the error after what is there. */
  fail(error: MillraceError): void;
  read(): AsyncGenerator<PositionedChunk, void, undefined>;
  /** Where the last chunk stands that came so far. */
  last(): PositionedChunk | undefined;
  /** Resolves when it has ended or failed; with the error in the latter case. */
  outcome: Promise<MillraceError | undefined>;
};

/** @param from where the first chunk stands */
export function createChunkLog(from: Position = FIRST_POSITION, maxKept: number = MAX_KEPT_CHUNKS): ChunkLog {
  const kept: PositionedChunk[] = [];
  /** How many were dropped: the ordinal of kept[0]. */
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
  return {
    append(chunks) {
      if (closed || chunks.length === 0) return;
      kept.push(...chunks);
      if (kept.length > maxKept) {
        const surplus = kept.length - Math.ceil(maxKept * (1 - DROPPED_AT_ONCE));
        kept.splice(0, surplus);
        dropped += surplus;
      }
      wake();
    },
    end: () => close(undefined),
    fail: close,
    async *read() {
      let next = from;
      for (let at = 0; ;) {
        if (at < dropped) throw new CutOffError(dropped - at, next);
        const chunk = kept[at - dropped];
        if (chunk) {
          at += 1;
          next = { epoch: chunk.epoch, index: chunk.index + 1 };
          yield chunk;
        } else if (closed) {
          if (closed.error) throw closed.error;
          return;
        } else await changed.promise;
      }
    },
    last: () => kept.at(-1),
    outcome: outcome.promise,
  };
}
