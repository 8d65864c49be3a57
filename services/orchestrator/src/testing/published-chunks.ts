// A publisher that keeps its chunks in a list, and a reader's view of them.
import type { Chunk } from '@millrace/contracts';
import { isTransient, type ChunkPublisher } from '../transcript/chunk-publisher.ts';

export type PublishedChunks = ChunkPublisher & {
  all: Chunk[];
  /** The chunks that count, after all retracts. */
  visible(): Chunk[];
};

export function publishedChunks(): PublishedChunks {
  const all: Chunk[] = [];
  return {
    all,
    getNextIndex: () => all.filter((one) => !isTransient(one)).length,
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
