// The way out for chunks that are not the model's stream: through the output stream's processors, in turn, then published.
import { isDataChunk, type Chunk, type StageInput } from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import type { DataSink } from './ordered-sink.ts';
import { takesDataChunks } from './custom-chunks.ts';
import { guardChunks } from './guard-chunks.ts';

/** What the output stream's processors are told of the run. */
export function streamInput(run: Run): StageInput {
  const { conversation, retryCount, steps, open } = run.state();
  const stepNumber = open?.closed ? steps.length - 1 : steps.length;
  return { retryCount, stepNumber: Math.max(stepNumber, 0), conversation };
}

export function sendChunks(run: Run, chunks: readonly Chunk[]): Promise<Interrupt | undefined> {
  return run.inTurn(async () => {
    const result = await guardChunks(run, chunks, streamInput(run));
    if (!result.interrupt) run.chunks.publish(result.chunks);
    return result.interrupt;
  });
}

/** Custom chunks of a stage. Where no processor asked for data parts they go straight to the client. */
export function dataSink(run: Run): DataSink {
  const asked = Object.values(run.plan.entries).some(takesDataChunks);
  return async (chunks) => {
    if (asked) return sendChunks(run, chunks);
    run.chunks.publish(chunks.filter(isDataChunk));
    return undefined;
  };
}
