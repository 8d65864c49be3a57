// The chunks that were pushed into a session, by position: the last ones wait for the window, the others are in flight. A
// replica names the chunks that it passes unchanged, each once and in order: a name costs it nothing, and must not multiply chunks.
import type { Chunk } from '@millrace/contracts';

export type SessionChunks = {
  push(chunks: readonly Chunk[]): void;
  /** Returns the next chunks, which are in flight from here on. */
  send(count: number): readonly Chunk[];
  countSent(): number;
  /** Returns the sent chunks from the position on. */
  listSent(from: number): readonly Chunk[];
  /** Returns all pushed chunks from the position on. */
  listPushed(from: number): readonly Chunk[];
  /** Returns undefined if there are no such chunks in flight, or if they were named before. */
  resolveRange(range: { from: number; count: number }): readonly Chunk[] | undefined;
  /**
   * The replica is done with the chunks before the position: they cannot be named any more.
   * @param needed position from which on the chunks are kept all the same
   */
  release(processed: number, needed?: number): void;
};

export function createSessionChunks(): SessionChunks {
  /** The chunks from position `first` on. */
  let chunks: Chunk[] = [];
  let first = 0;
  let sent = 0;
  /** Positions before this one cannot be named. */
  let nameable = 0;
  const slice = (from: number, to?: number) => chunks.slice(Math.max(from - first, 0), to && to - first);
  return {
    push(more) {
      for (const chunk of more) chunks.push(chunk);
    },
    send(count) {
      const from = sent;
      sent = Math.min(sent + count, first + chunks.length);
      return from === sent ? [] : slice(from, sent);
    },
    countSent: () => sent,
    listSent: (from) => (from >= sent ? [] : slice(from, sent)),
    listPushed: (from) => slice(from),
    resolveRange({ from, count }) {
      if (from < nameable || from + count > sent) return undefined;
      nameable = from + count;
      return slice(from, nameable);
    },
    release(processed, needed = Infinity) {
      nameable = Math.max(nameable, processed);
      const from = Math.min(processed, needed);
      if (from <= first) return;
      chunks = slice(from);
      first = from;
    },
  };
}
