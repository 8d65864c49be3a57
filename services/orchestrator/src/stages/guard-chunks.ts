// Chunks outside the model's stream (tool results, a tool's writer, finish) pass the same processors in one piece: no session
// is kept, the open request carries the chunks and its reply the output and the state.
import { entriesOf, passesChain, type Chunk, type StageInput } from '@millrace/contracts';
import { stopOutcome } from './stop-outcome.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { failureOf } from './call-processors.ts';
import { emptyFold, foldVerdict, type Judged, type StageFold } from './verdict-fold.ts';
import { mergeAdjacent } from './merge-adjacent.ts';
import { openHead, type Opening } from './open-sessions.ts';

export type GuardedChunks = { chunks: readonly Chunk[]; interrupt?: Interrupt | undefined };

/** Chunks that do not pass the chain are not to be given here. Does not publish. */
export async function guardChunks(run: Run, chunks: readonly Chunk[], input: StageInput): Promise<GuardedChunks> {
  if (!chunks.every(passesChain)) throw new Error('a chunk that does not pass the chain was given to it');
  const entries = entriesOf(run.plan, 'processOutputStream');
  if (entries.length === 0 || chunks.length === 0) return { chunks };
  const started = performance.now();
  let fold = emptyFold(input);
  let passed = chunks;
  let alone = false;
  for (let rest = entries; rest.length > 0 && !fold.stopped && !run.signal.aborted;) {
    const [group = []] = mergeAdjacent(alone ? rest.slice(0, 1) : rest, run.deps.discovery);
    const opening = await openHead(run, group, { input, whole: passed });
    const judged = judgedBy(opening);
    const failed = judged.some(({ verdict }) => verdict.type === 'failure');
    alone ||= group.length > 1 && (failed || judged.length === 1);
    // The output of a merged call in which one broke has not been seen by all: its members are asked one by one.
    if (failed && judged.length > 1) continue;
    fold = judged.reduce((sum, one) => (sum.stopped ? sum : foldVerdict('processOutputStream', sum, one)), fold);
    // A skipped processor lets what it was given pass as it was.
    if ('opened' in opening && !failed) passed = opening.opened.output?.chunks ?? [];
    rest = rest.slice(judged.length);
  }
  return settle(run, fold, passed, performance.now() - started);
}

function judgedBy(opening: Opening): Judged[] {
  if ('failure' in opening) {
    const { entry, failure: verdict, attempts, replica } = opening;
    return [{ entry, verdict, ms: 0, attempts, replica }];
  }
  const { entries, attempts, opened } = opening;
  const { verdicts = [], ms = [] } = opened.output ?? {};
  return entries.map((entry, at) => {
    const verdict = verdicts[at] ?? failureOf(entry, { code: 'session-lost', message: 'The replica gave no verdict.' });
    return { entry, verdict, ms: ms[at] ?? 0, attempts, replica: opened.replica };
  });
}

function settle(run: Run, fold: StageFold, chunks: readonly Chunk[], ms: number): GuardedChunks {
  applyFold(run, fold, ms);
  const interrupt =
    run.interruption() ?? (fold.stopped ? stopOutcome(run, 'processOutputStream', fold.stopped) : undefined);
  return { chunks, interrupt };
}

/** What the output stream's processors leave behind: states, violations, one event. */
export function applyFold(run: Run, fold: StageFold, ms: number): void {
  if (Object.keys(fold.states).length > 0) run.dispatch({ action: 'states-changed', states: fold.states });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  if (fold.outcomes.length === 0) return;
  run.events.record({
    event: 'stage',
    stage: 'processOutputStream',
    step: run.state().steps.length,
    ms,
    entries: fold.outcomes,
  });
}
