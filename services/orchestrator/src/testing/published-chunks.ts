// A publisher that keeps what it is given in a list, and what a reader makes of it.
import type { Chunk } from '@millrace/contracts';
import { isTransient, type ChunkPublisher } from '../state/chunk-publisher.ts';

export type PublishedChunks = ChunkPublisher & {
  all: Chunk[];
  /** What counts, after everything that was taken back. */
  visible(): Chunk[];
};

export function publishedChunks(): PublishedChunks {
  const all: Chunk[] = [];
  return {
    all,
    nextIndex: () => all.filter((one) => !isTransient(one)).length,
    publish: (chunks) => void all.push(...chunks),
    publishLast: (chunk) => void all.push(chunk),
    flush: async () => undefined,
    close: () => undefined,
    visible() {
      const byIndex: (Chunk | undefined)[] = [];
      for (const chunk of all) {
        if (isTransient(chunk)) continue;
        if (chunk.type === 'retract') byIndex.fill(undefined, chunk.payload.index);
        byIndex.push(chunk.type === 'retract' ? undefined : chunk);
      }
      return byIndex.filter((chunk) => chunk !== undefined);
    },
  };
}
