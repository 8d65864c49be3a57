// A chunk of this run, with what every chunk has.
import type { Chunk } from '@millrace/contracts';

/** A chunk without what every chunk has. */
export type ChunkBody = { type: string; payload: object };

export function chunk(runId: string, body: ChunkBody): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made here, by type; the schema reads it at both ends
  return { runId, from: 'AGENT', ...body } as unknown as Chunk;
}
