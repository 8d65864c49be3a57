// Folds the verdicts of a stage's entries as they arrive: applies each verdict, returns its state, sends its custom
// chunks. Verdicts of a parallel group arrive by time.
import type { JsonObject, PlanEntry } from '@millrace/contracts';
import { countProcessorCalls } from '../state/count-calls.ts';
import type { Run } from '../state/run-context.ts';
import { callGroup } from '../calls/call-group.ts';
import type { StageRequest } from '../calls/call-processors.ts';
import type { StageData } from '../sessions/custom-chunks.ts';
import { foldVerdict, type JudgedEntry, type StageFold } from '../calls/verdict-fold.ts';

export type Folding = { fold: StageFold; data: StageData };

/** Custom chunks wait for the whole group, because they would pass members that are still at work. */
export async function foldGroup(
  run: Run,
  members: PlanEntry[],
  request: StageRequest,
  { fold: before, data }: Folding,
  onJudged?: (judged: JudgedEntry) => void,
) {
  const started = performance.now();
  let fold = before;
  const writeData: StageRequest['receiveData'] = (chunks) => data.write(chunks, members);
  for await (const judged of callGroup(run, members, { ...request, receiveData: writeData })) {
    if (run.signal.aborted) break;
    onJudged?.(judged);
    fold = keep(run, fold, judged, data, members);
    if (fold.stopped) break;
  }
  return fold.stopped ? withCancelled(fold, members, performance.now() - started) : fold;
}

export function keep(
  run: Run,
  fold: StageFold,
  judged: JudgedEntry,
  data: StageData,
  atWork: readonly PlanEntry[],
): StageFold {
  const next = foldVerdict(fold, judged);
  returnStates(run, fold, next);
  countProcessorCalls(run, next.usage.slice(fold.usage.length));
  data.write(next.data.slice(fold.data.length), atWork);
  return next;
}

/** Records the taint that the verdicts of a stage add. */
export function recordTaint(run: Run, { taint }: StageFold): void {
  const entries = taint.flatMap(({ entry }) => entry ?? []);
  const origins = taint.flatMap(({ origin }) => origin ?? []);
  if (entries.length + origins.length > 0) run.dispatch({ action: 'taint-found', entries, origins });
}

/** Records the files that the entries of a stage have passed. */
export function recordPassedFiles(run: Run, { passedFiles }: StageFold): void {
  const known = run.getState().passedFiles;
  const files = [...new Set([...known, ...passedFiles])];
  if (files.length > known.length) run.dispatch({ action: 'files-passed', files });
}

/** Marks members that were at work when the group was decided as cancelled: they must not look as if they agreed. */
function withCancelled(fold: StageFold, members: readonly PlanEntry[], ms: number): StageFold {
  const reported = new Set(fold.outcomes.map(({ entry }) => entry));
  const rest = members.filter(({ entry }) => !reported.has(entry));
  const cancelled = rest.map(({ entry, processor }) => ({ entry, processor, verdict: 'cancelled', ms, attempts: 1 }));
  return { ...fold, outcomes: [...fold.outcomes, ...cancelled] };
}

/** Returns states with the verdict, not at the end of the stage: chunks in between may pass the same entry. */
function returnStates(run: Run, before: StageFold, after: StageFold): void {
  const isNew = ([entry, state]: [string, JsonObject]) => before.states[entry] !== state;
  const states = Object.fromEntries(Object.entries(after.states).filter(isNew));
  if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
}
