// Calls observing entries: with the same request as the others, at their position, without waiting for the answer. The
// answer is an event and the entry's own state; changes, custom chunks and stops are ignored, violations are recorded
// in the event only.
import type { Chunk, PlanEntry, Stage, StageInput } from '@millrace/contracts';
import { createRunActivity } from '../state/run-activity.ts';
import { countProcessorCalls } from '../state/count-calls.ts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type CallTarget } from '../calls/ask-with-policy.ts';
import { callProcessors } from '../calls/call-processors.ts';
import { guardOnce } from './guard-batch.ts';
import { createFold, foldVerdict, judge, type JudgedEntry } from '../calls/verdict-fold.ts';

const stream = 'processOutputStream';

/** Observes a stage call, with the input as the entries before it left it. */
export function observeStage(run: Run, entry: PlanEntry, stage: Stage, input: StageInput): void {
  canEnqueue(run, entry, stage, (own) => callProcessors(own, [entry], { stage, input, receiveData: () => undefined }));
}

/** Observes the chunks that the processors before it passed, in one batch. */
export function observeChunks(run: Run, entry: PlanEntry, chunks: readonly Chunk[], input: StageInput): void {
  if (chunks.length > 0) canEnqueue(run, entry, stream, (own) => askForBatch(own, entry, chunks, input));
}

async function* askForBatch(run: Run, entry: PlanEntry, chunks: readonly Chunk[], input: StageInput) {
  const ask = (group: PlanEntry[], to: CallTarget) => guardOnce(run, group, to, chunks, input);
  for await (const outcome of askWithPolicy(run, [entry], ask, { stage: stream })) {
    if ('answer' in outcome) yield* outcome.answer.judged;
    else yield { ...judge(stream, input, entry, outcome.failure), ms: outcome.ms, attempts: outcome.attempts };
  }
}

/**
 * Queues the call behind earlier ones of the entry.
 * @param isReported the outcome was reported already: a missing verdict is not reported again
 * @returns false if the call is dropped, which is an event
 */
export function canEnqueue(
  run: Run,
  entry: PlanEntry,
  stage: Stage,
  ask: (run: Run) => AsyncIterable<JudgedEntry>,
  isReported: () => boolean = () => false,
): boolean {
  const step = run.getState().steps.length;
  const call = async (signal: AbortSignal) => {
    const started = performance.now();
    const [judged] = await Array.fromAsync(ask({ ...run, signal, activity: createRunActivity() }));
    if (!judged)
      return isReported()
        ? undefined
        : report(run, { entry, stage, step, verdict: 'cancelled', ms: performance.now() - started });
    const { outcomes, states, usage } = foldVerdict(createFold(judged.input), judged);
    countProcessorCalls(run, usage);
    if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
    const entries = outcomes.map(({ skipped: _, ...outcome }) => ({ ...outcome, observed: true }));
    run.events.record({ event: 'stage', stage, step, ms: performance.now() - started, entries });
  };
  const isTaken = run.observers.add(entry.entry, call);
  if (!isTaken) reportDropped(run, entry, stage);
  return isTaken;
}

/** Reports a dropped call: a missing event must not look like agreement. */
export function reportDropped(run: Run, entry: PlanEntry, stage: Stage): void {
  report(run, { entry, stage, step: run.getState().steps.length, verdict: 'dropped', ms: 0 });
}

type ObservedReport = { entry: PlanEntry; stage: Stage; step: number; verdict: string; ms: number };

function report(run: Run, { entry, stage, step, verdict, ms }: ObservedReport): void {
  const outcome = { entry: entry.entry, processor: entry.processor, verdict, ms, attempts: 0, observed: true };
  run.events.record({ event: 'stage', stage, step, ms, entries: [outcome] });
}
