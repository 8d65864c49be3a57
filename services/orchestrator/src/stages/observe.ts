// Entries that observe: they are asked what the others are asked, at their place, and nobody waits for the answer. It is an event, and the
// entry's own state; its changes, custom chunks and stops are not looked at, its violations stand in the event alone.
import type { Chunk, PlanEntry, Stage, StageInput } from '@millrace/contracts';
import { createRunActivity } from '../state/run-activity.ts';
import type { Run } from '../state/run-context.ts';
import { askWithPolicy, type Target } from './ask-with-policy.ts';
import { callProcessors } from './call-processors.ts';
import { guardOnce } from './guard-batch.ts';
import { emptyFold, foldVerdict, judge, type Judged } from './verdict-fold.ts';

const stream = 'processOutputStream';

/** A stage call, with the input as the entries before it have left it. */
export function observeStage(run: Run, entry: PlanEntry, stage: Stage, input: StageInput): void {
  enqueue(run, entry, stage, (own) => callProcessors(own, [entry], { stage, input, onData: () => undefined }));
}

/** Chunks as they come out of the processors before it, in one batch. */
export function observeChunks(run: Run, entry: PlanEntry, chunks: readonly Chunk[], input: StageInput): void {
  if (chunks.length > 0) enqueue(run, entry, stream, (own) => askForBatch(own, entry, chunks, input));
}

async function* askForBatch(run: Run, entry: PlanEntry, chunks: readonly Chunk[], input: StageInput) {
  const ask = (group: PlanEntry[], to: Target) => guardOnce(run, group, to, chunks, input);
  for await (const outcome of askWithPolicy(run, [entry], ask, { stage: stream })) {
    if ('answer' in outcome) yield* outcome.answer.judged;
    else yield { ...judge(stream, input, entry, outcome.failure), ms: outcome.ms, attempts: outcome.attempts };
  }
}

/**
 * Once those before it are done.
 * @param isTold what became of it has been said: that it came to no verdict is not said again
 * @returns false: it is dropped, which is an event
 */
export function enqueue(
  run: Run,
  entry: PlanEntry,
  stage: Stage,
  ask: (run: Run) => AsyncIterable<Judged>,
  isTold: () => boolean = () => false,
): boolean {
  const step = run.state().steps.length;
  const call = async (signal: AbortSignal) => {
    const started = performance.now();
    const [judged] = await Array.fromAsync(ask({ ...run, signal, activity: createRunActivity() }));
    if (!judged)
      return isTold()
        ? undefined
        : tell(run, { entry, stage, step, verdict: 'cancelled', ms: performance.now() - started });
    const { outcomes, states } = foldVerdict(emptyFold(judged.input), judged);
    if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
    const entries = outcomes.map(({ skipped: _, ...outcome }) => ({ ...outcome, observed: true }));
    run.events.record({ event: 'stage', stage, step, ms: performance.now() - started, entries });
  };
  const isTaken = run.observers.add(entry.entry, call);
  if (!isTaken) tellDropped(run, entry, stage);
  return isTaken;
}

/** Somebody who reads the events must not take silence for agreement. */
export function tellDropped(run: Run, entry: PlanEntry, stage: Stage): void {
  tell(run, { entry, stage, step: run.state().steps.length, verdict: 'dropped', ms: 0 });
}

type Told = { entry: PlanEntry; stage: Stage; step: number; verdict: string; ms: number };

function tell(run: Run, { entry, stage, step, verdict, ms }: Told): void {
  const outcome = { entry: entry.entry, processor: entry.processor, verdict, ms, attempts: 0, observed: true };
  run.events.record({ event: 'stage', stage, step, ms, entries: [outcome] });
}
