// What processors and tools put into the run's stream while they work: `writer.custom()`.
import { MillraceError, type Chunk, type RunRef } from '@millrace/contracts';
import type { CustomChunk, StreamWriter } from '../processor.ts';

/** @param write sends a chunk at once; what it throws is what `custom` rejects with */
export function createStreamWriter(run: RunRef, write: (chunk: Chunk) => void): StreamWriter {
  return { custom: async (chunk) => write(customChunk(chunk, run)) };
}

/** @throws message-invalid when the type does not begin with `data-` */
function customChunk(chunk: CustomChunk, run: RunRef): Chunk {
  if (!chunk.type.startsWith('data-')) {
    throw new MillraceError(
      'message-invalid',
      `writer.custom() takes chunks whose type starts with "data-", not "${chunk.type}".`,
    );
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a data chunk is one of the "other" types of the schema
  return { from: 'AGENT', ...chunk, runId: run.runId } as unknown as Chunk;
}
