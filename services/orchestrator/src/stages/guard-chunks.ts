// Chunks outside the model's stream (tool results, a tool's writer, finish) pass the same processors as a batch: no session is kept,
// the open request carries the chunks and its reply the output and the state.
import { entriesOf, passesChain, segmentsOf, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import { askWithPolicy, type Ask, type Outcome, type Target } from './ask-with-policy.ts';
import { guardOnce, type GuardedBatch } from './guard-batch.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { emptyFold, foldTold, foldVerdict, judge, type StageFold } from './verdict-fold.ts';
import { observeChunks } from './observe.ts';
import { stopOutcome } from './stop-outcome.ts';

const stage = 'processOutputStream';

export type GuardedChunks = { chunks: readonly Chunk[]; interrupt?: Interrupt | undefined };

/** Only chunks that pass the output chain. Does not publish. */
export async function guardChunks(run: Run, chunks: readonly Chunk[]): Promise<GuardedChunks> {
  if (!chunks.every(passesChain)) throw new Error('a chunk that does not pass the output chain was given to it');
  const input = streamInput(run);
  const entries = entriesOf(run.plan, stage);
  if (entries.length === 0 || chunks.length === 0) return { chunks };
  const started = performance.now();
  let fold = emptyFold(input);
  let passed = chunks;
  const ask = (group: PlanEntry[], to: Target) => guardOnce(run, group, to, passed, input);
  for await (const outcome of askSegments(run, entries, ask, (entry) => observeChunks(run, entry, passed, input))) {
    if ('failure' in outcome) {
      // A skipped processor lets what it was given pass as it was.
      const { entry, failure, ...rest } = outcome;
      fold = foldVerdict(fold, { ...judge(stage, input, entry, failure), ...rest });
    } else {
      const { answer, attempts } = outcome;
      for (const judged of answer.judged) fold = foldVerdict(fold, { ...judged, attempts });
      for (const told of answer.told ?? []) fold = foldTold(fold, { ...told, attempts });
      passed = answer.chunks;
    }
    if (fold.stopped) break;
  }
  applyFold(run, fold, performance.now() - started);
  const interrupt = run.interruption() ?? (fold.stopped ? stopOutcome(run, stage, fold.stopped) : undefined);
  return { chunks: passed, interrupt };
}

/** Those that observe are given what has passed when it is their turn. */
async function* askSegments(
  run: Run,
  entries: readonly PlanEntry[],
  ask: Ask<GuardedBatch>,
  observe: (entry: PlanEntry) => void,
): AsyncGenerator<Outcome<GuardedBatch>, void, void> {
  for (const segment of segmentsOf(run.plan, stage, entries)) {
    // What has not passed those before them is not theirs to see.
    if (run.signal.aborted) return;
    if (segment.observes) segment.entries.forEach(observe);
    else yield* askWithPolicy(run, segment.entries, ask, { stage });
  }
}

/** One batch after the other: through the output chain, then published. */
export function sendChunks(run: Run, chunks: readonly Chunk[]): Promise<Interrupt | undefined> {
  return run.inTurn(async () => {
    const { chunks: passed, interrupt } = await guardChunks(run, chunks);
    if (!interrupt) run.chunks.publish(passed);
    return interrupt;
  });
}

/** What the output stream's processors are told of the run. */
export function streamInput(run: Run): StageInput {
  const { conversation, retryCount, steps, open } = run.state();
  const stepNumber = open?.closed ? steps.length - 1 : steps.length;
  return { retryCount, stepNumber: Math.max(stepNumber, 0), conversation };
}

/** What the output stream's processors leave behind: states, violations, one event. */
export function applyFold(run: Run, fold: StageFold, ms: number): void {
  if (Object.keys(fold.states).length > 0) run.dispatch({ action: 'states-changed', states: fold.states });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  if (fold.outcomes.length === 0) return;
  run.events.record({ event: 'stage', stage, step: run.state().steps.length, ms, entries: fold.outcomes });
}
