// Chunks outside the model's stream (tool results, a tool's writer, finish) pass the same processors as a batch: no session is kept,
// the open request carries the chunks and its reply the output and the state.
import { entriesOf, passedChunks, passesChain, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import { askWithPolicy, type Asked, type Target } from './ask-with-policy.ts';
import { failedOf } from './call-processors.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { emptyFold, foldVerdict, judge, judgeAll, type Judged, type StageFold } from './verdict-fold.ts';
import { askReplica } from './open-sessions.ts';
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
  for await (const outcome of askWithPolicy(run, entries, ask)) {
    if ('failure' in outcome) {
      // A skipped processor lets what it was given pass as it was.
      const { entry, failure, ...rest } = outcome;
      fold = foldVerdict(fold, { ...judge(stage, input, entry, failure), ...rest });
    } else {
      const { answer, attempts } = outcome;
      for (const judged of answer.judged) fold = foldVerdict(fold, { ...judged, attempts });
      passed = answer.chunks;
    }
    if (fold.stopped) break;
  }
  applyFold(run, fold, performance.now() - started);
  const interrupt = run.interruption() ?? (fold.stopped ? stopOutcome(run, stage, fold.stopped) : undefined);
  return { chunks: passed, interrupt };
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
function streamInput(run: Run): StageInput {
  const { conversation, retryCount, steps, open } = run.state();
  const stepNumber = open?.closed ? steps.length - 1 : steps.length;
  return { retryCount, stepNumber: Math.max(stepNumber, 0), conversation };
}

type Guarded = { judged: Judged[]; chunks: readonly Chunk[] };

/** The output of a merged request in which one broke has not been seen by all: its members are then asked one by one. */
async function guardOnce(
  run: Run,
  group: PlanEntry[],
  to: Target,
  given: readonly Chunk[],
  input: StageInput,
): Promise<Asked<Guarded>> {
  const asked = await askReplica(run, group, to, { input, session: crypto.randomUUID(), batch: given });
  if (!asked.answer) return { ...asked, answer: undefined };
  const { served, replica } = asked;
  const { output } = asked.answer;
  const failed = (message: string) => ({ ...failedOf(group, { code: 'processor-failed', message }), replica });
  if (!output) return failed('It answered a batch without its output.');
  if (output.verdicts.length > served) return failed(`${output.verdicts.length} verdicts came for ${served} entries.`);
  const judged = judgeAll(stage, input, group.slice(0, served), { ...output, replica });
  const last = judged.at(-1)?.verdict;
  if (last?.type === 'failure') {
    const of = group.length > 1 ? ('group' as const) : ('member' as const);
    return { served: 0, failure: { verdict: last, of }, replica };
  }
  if (last && last.type !== 'continue') return { answer: { judged, chunks: [] }, served, replica };
  if (judged.length < served) return failed(`It gave ${judged.length} verdicts for ${served} entries.`);
  const passed = passedChunks(run.ref.runId, given, output.chunks);
  if ('refused' in passed) return failed(passed.refused);
  return { answer: { judged, chunks: passed.chunks }, served, replica };
}

/** What the output stream's processors leave behind: states, violations, one event. */
export function applyFold(run: Run, fold: StageFold, ms: number): void {
  if (Object.keys(fold.states).length > 0) run.dispatch({ action: 'states-changed', states: fold.states });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  if (fold.outcomes.length === 0) return;
  run.events.record({ event: 'stage', stage, step: run.state().steps.length, ms, entries: fold.outcomes });
}
