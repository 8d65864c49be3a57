// Passes an answer through the output chain again after a change. The chain has counted the first form: each limit
// begins its step again at `step-start`, as it does for a step that is retried.
import type { Chunk } from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { guardChunks, type GuardedChunks } from '../sessions/guard-chunks.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import type { Run } from '../state/run-context.ts';

/**
 * Passes the chunks of the answer with its `step-start` before them; the output of `step-start` is published already. A
 * message that a processor added belongs to no step: its chunks continue the last one.
 */
export async function guardAgain(run: Run, messageId: string, chunks: readonly Chunk[]): Promise<GuardedChunks> {
  const { runId } = run.ref;
  const { steps } = run.getState();
  // The answer of the open step is not among the steps yet.
  const step = [...steps.keys(), steps.length].find((at) => buildResponseMessageId(runId, at) === messageId);
  if (step === undefined || chunks.length === 0) return guardChunks(run, chunks);
  const begun = await guardChunks(run, [makeChunk(runId, { type: 'step-start', payload: { messageId } })], step);
  return begun.interrupt ? begun : guardChunks(run, chunks, step);
}
