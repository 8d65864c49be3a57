// The stream of a step: the model's chunks through the output stream's processors to the client. Verdict, the model's
// cancellation, publishing and the return of state meet here. Only what the chain let through is published or kept.
import { toWireError, type Chunk, type ModelError, type StageInput, type Usage } from '@millrace/contracts';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { responseMessageId } from '../state/response-message.ts';
import { stopOutcome } from '../stages/stop-outcome.ts';
import type { Run, StopReason } from '../state/run-context.ts';
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.ts';
import type { ModelEnd } from './model-stream.ts';
import { createOpenParts, type OpenParts } from './open-parts.ts';
import { openStreamChain, type StreamChain } from '../stages/output-chain.ts';
import { applyFold } from '../stages/guard-chunks.ts';

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
  const parts = createOpenParts();
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  const started = performance.now();
  let broken: Interrupt | undefined;
  const breakOff = (error: unknown) => {
    broken ??= fail(toWireError(error));
    giveUp.abort();
  };
  const output = (chunks: readonly Chunk[]) => {
    try {
      for (const chunk of chunks) builder.add(chunk);
      run.chunks.publish(chunks);
    } catch (error) {
      breakOff(error);
    }
  };
  const push = (chain: StreamChain, chunks: readonly Chunk[]) => {
    try {
      parts.see(chunks);
      chain.push(chunks);
    } catch (error) {
      breakOff(error);
    }
  };
  // The model is asked while the sessions are opened; what it says first waits for them.
  const opening = openStreamChain(run, input, output);
  const begun = opening.then((chain) => {
    push(chain, [first]);
    void chain.stopped.then(() => giveUp.abort());
  }, breakOff);
  try {
    const end = await source(signal, async (chunks) => {
      const chain = await opening;
      push(chain, chunks);
      await chain.room();
    });
    await begun;
    const chain = await opening;
    if (run.signal.aborted) return await stoppedFromOutside(run, chain, builder, parts);
    if (broken) return { kind: 'interrupt', interrupt: broken };
    if ('error' in end && !giveUp.signal.aborted) return { kind: 'model-error', ...end };
    const fold = await chain.end();
    applyFold(run, fold, performance.now() - started);
    if (broken) return { kind: 'interrupt', interrupt: broken };
    if (fold.stopped) return { kind: 'interrupt', interrupt: stopOutcome(run, 'processOutputStream', fold.stopped) };
    return 'error' in end ? { kind: 'model-error', ...end } : { kind: 'answer', builder, ...end };
  } finally {
    // A session that is over does not mind; one that is not would be kept alive for ever.
    void opening.then((chain) => chain.drop()).catch(() => undefined);
  }
}

/** What was said so far is kept, with what the processors still held back. */
async function stoppedFromOutside(
  run: Run,
  chain: StreamChain,
  builder: AnswerBuilder,
  parts: OpenParts,
): Promise<StepStream> {
  const started = performance.now();
  const interrupt = run.interruption() ?? fail({ code: 'internal', message: 'The run was stopped for no reason.' });
  if (run.signal.reason === ('fenced' satisfies StopReason)) return { kind: 'interrupt', interrupt };
  chain.push(parts.ends());
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), FLUSH_MS);
  const fold = await Promise.race([chain.end(), late.promise]);
  clearTimeout(timer);
  if (fold) applyFold(run, fold, performance.now() - started);
  const message = builder.message();
  if (message.content.parts.length > 0) {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  }
  return { kind: 'interrupt', interrupt };
}
