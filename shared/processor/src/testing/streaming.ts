// Runs processors of the output stream as a session does, without a bus.
import { READS_ALL, type Chunk, type Verdict } from '@millrace/contracts';
import { callContext, callEntry, defineMethods, TEST_RUN } from '@millrace/testkit';
import type { CallContext } from '../verdict/entry-args.ts';
import { callStream } from '../serve/stream-batch.ts';
import { createHostedProcessors } from '../serve/hosted-processor.ts';
import type { Processor } from '../processor/processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';

type StreamMethod = NonNullable<Processor['processOutputStream']>;

export const streaming = (
  id: string,
  method: StreamMethod,
  more: Partial<ProcessorDefinition> = {},
): ProcessorDefinition => defineMethods(id, { processOutputStream: method }, { reads: [...READS_ALL], ...more });

export function delta(text: string, id = 'text-1'): Chunk {
  return { type: 'text-delta', runId: TEST_RUN.runId, from: 'AGENT', payload: { id, text } };
}

export function dataChunk(type: `data-${string}`): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the "other" types of the chunk schema
  return { type, runId: TEST_RUN.runId, from: 'AGENT' } as unknown as Chunk;
}

export type Streamed = { out: string[]; chunks: Chunk[]; verdicts: Verdict[] };

/** Returns the output of the processors, `out` as texts and types. */
export async function streamThrough(
  definitions: ProcessorDefinition[],
  chunks: Chunk[],
  context: Partial<CallContext> = {},
): Promise<Streamed> {
  const entries = definitions.map(({ id }) => callEntry(id));
  const call = { entries, input: { retryCount: 0, stepNumber: 0 } };
  const answer = await callStream(call, createHostedProcessors(definitions), callContext(context), chunks);
  return { ...answer, out: answer.chunks.map(formatChunk) };
}

export function formatChunk(chunk: Chunk): string {
  return chunk.type === 'text-delta' ? chunk.payload.text : chunk.type;
}
