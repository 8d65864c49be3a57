// The chunks that were sent into a session and are not done with, by their places: a replica names those that come out as they went in.
// It may name each once, and in order: naming costs it nothing, and must not make more of them than there were.
import type { Chunk } from '@millrace/contracts';

export type SentChunks = {
  sent(chunks: readonly Chunk[]): void;
  /** undefined: there are none such, or they were named before. */
  named(range: { from: number; count: number }): readonly Chunk[] | undefined;
  /** Those before it are done with: they cannot be named any more. */
  done(place: number): void;
};

export function createSentChunks(): SentChunks {
  let chunks: Chunk[] = [];
  let first = 0;
  let next = 0;
  return {
    sent: (more) => void chunks.push(...more),
    named({ from, count }) {
      if (from < Math.max(next, first) || from + count > first + chunks.length) return undefined;
      next = from + count;
      return chunks.slice(from - first, next - first);
    },
    done(place) {
      if (place <= first) return;
      chunks = chunks.slice(place - first);
      first = place;
    },
  };
}
