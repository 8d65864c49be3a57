// Creates a chunk of this run with the members that every chunk has.
import type { Chunk } from '@millrace/contracts';

/** A chunk without the members that every chunk has. */
export type ChunkBody = { type: string; payload: object };

export function makeChunk(runId: string, body: ChunkBody): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made here, by type; the schema reads it at both ends
  return { runId, from: 'AGENT', ...body } as unknown as Chunk;
}

/** Makes a custom chunk that followers see once: it has no index and no replay holds it. */
export function makeTransientChunk(runId: string, type: `data-${string}`, data: object): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the "other" types of the chunk schema
  return { runId, from: 'AGENT', type, data, transient: true } as unknown as Chunk;
}
