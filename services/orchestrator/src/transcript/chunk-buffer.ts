// Buffers a run's chunks: they enter with their places and leave from the front.
import type { Chunk } from '@millrace/contracts';
import { mergePieces, toBuffered, type BufferedChunk } from './buffered-chunks.ts';

export type HeldQueue = {
  /** Returns the buffered chunks in order. */
  list(): readonly BufferedChunk[];
  countBytes(): number;
  add(chunk: Chunk, place: number): void;
  /** Removes and returns the chunks before the first one that must stay. */
  take(mayGo: (place: number) => boolean): BufferedChunk[];
  takeTransient(): BufferedChunk[];
  /** Discards the chunks from the place on. */
  drop(from: number): void;
  /** Merges the pieces from the place on. Returns the number of chunks at the front that are unchanged. */
  merge(from: number): number;
};

export function createHeldQueue(): HeldQueue {
  let queue: BufferedChunk[] = [];
  let bytes = 0;
  const replace = (chunks: BufferedChunk[]) => {
    queue = chunks;
    bytes = sumBytes(chunks);
  };
  return {
    list: () => queue,
    countBytes: () => bytes,
    add(chunk, place) {
      const buffered = toBuffered(chunk, place);
      queue.push(buffered);
      bytes += buffered.bytes;
    },
    take(mayGo) {
      const end = queue.findIndex(({ place }) => !mayGo(place));
      const taken = queue.splice(0, end < 0 ? queue.length : end);
      bytes -= sumBytes(taken);
      return taken;
    },
    takeTransient() {
      const taken = queue.filter((one) => one.isTransient);
      if (taken.length > 0) replace(queue.filter((one) => !one.isTransient));
      return taken;
    },
    drop(from) {
      if (queue.some(({ place }) => place >= from)) replace(queue.filter(({ place }) => place < from));
    },
    merge(from) {
      const at = queue.findIndex(({ place }) => place >= from);
      if (at < 0) return queue.length;
      const merged = mergePieces(queue.slice(at));
      if (at + merged.length === queue.length) return queue.length;
      replace([...queue.slice(0, at), ...merged]);
      return at;
    },
  };
}

const sumBytes = (chunks: readonly BufferedChunk[]): number => chunks.reduce((sum, one) => sum + one.bytes, 0);
