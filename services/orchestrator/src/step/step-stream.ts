// The stream of a step: the model's chunks through the output stream's processors to the client. Verdict, the model's
// cancellation, publishing and the return of state meet here. Only what the chain let through is published or kept.
import { toWireError, type Chunk, type ModelError, type StageInput, type Usage } from '@millrace/contracts';
import { fail, type Interrupt } from '../run/interrupt.ts';
import { responseMessageId } from '../run/response-message.ts';
import { stopMeans } from '../run/run-stage.ts';
import type { Run } from '../run/run.ts';
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.ts';
import type { ModelEnd } from './model-stream.ts';
import { openStreamChain, type StreamChain } from './stream-chain.ts';
import { applyFold } from './whole-chunks.ts';

/** Where the step's chunks come from: the model, or an earlier answer. */
export type ChunkSource = (signal: AbortSignal, take: (chunks: Chunk[]) => Promise<void>) => Promise<ModelEnd>;

export type StepStream =
  | { kind: 'answer'; builder: AnswerBuilder; finishReason: string; usage: Usage; warnings: unknown[] }
  | { kind: 'model-error'; error: ModelError; retryAfterMs?: number }
  | { kind: 'interrupt'; interrupt: Interrupt };

/** After a cancel, what was held back has this long to come out, ms. Source: architecture.md, section 6, "Cancelling". */
const FLUSH_MS = 500;

export async function streamStep(run: Run, input: StageInput, first: Chunk, source: ChunkSource): Promise<StepStream> {
  const builder = createAnswerBuilder(responseMessageId(run.ref.runId, input.stepNumber));
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  const started = performance.now();
  let broken: Interrupt | undefined;
  const output = (chunks: readonly Chunk[]) => {
    try {
      for (const chunk of chunks) builder.add(chunk);
      run.chunks.publish(chunks);
    } catch (error) {
      broken ??= fail(toWireError(error));
      giveUp.abort();
    }
  };
  // The model is asked while the sessions are opened; what it says first waits for them.
  const opening = openStreamChain(run, input, output);
  void opening.then((chain) => chain.stopped.then(() => giveUp.abort()));
  void opening.then((chain) => chain.push([first]));
  const end = await source(signal, async (chunks) => {
    const chain = await opening;
    chain.push(chunks);
    await chain.room();
  });
  const chain = await opening;
  if (run.signal.aborted) return flushed(run, chain, builder);
  if (broken || ('error' in end && !giveUp.signal.aborted)) {
    chain.drop();
    return broken ? { kind: 'interrupt', interrupt: broken } : { kind: 'model-error', ...failedEnd(end) };
  }
  const fold = await chain.end();
  applyFold(run, fold, performance.now() - started);
  if (broken) return { kind: 'interrupt', interrupt: broken };
  if (fold.stopped) return { kind: 'interrupt', interrupt: stopMeans(run, 'processOutputStream', fold.stopped) };
  if ('error' in end) return { kind: 'model-error', ...end };
  return { kind: 'answer', builder, ...end };
}

function failedEnd(end: ModelEnd): { error: ModelError; retryAfterMs?: number } {
  if ('error' in end) return end;
  throw new Error('a model call that ended well was taken for a failed one');
}

/** The run was stopped from outside: what was said so far is kept, with what the processors still held back. */
async function flushed(run: Run, chain: StreamChain, builder: AnswerBuilder): Promise<StepStream> {
  chain.push(builder.endsOfOpenParts());
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), FLUSH_MS);
  await Promise.race([chain.end(), late.promise]);
  clearTimeout(timer);
  chain.drop();
  const message = builder.message();
  if (message.content.parts.length > 0) {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  }
  return {
    kind: 'interrupt',
    interrupt: run.interruption() ?? fail({ code: 'internal', message: 'The run was stopped for no reason.' }),
  };
}
