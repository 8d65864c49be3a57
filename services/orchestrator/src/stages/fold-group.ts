// What the verdicts of a stage's entries add up to while they come: each is folded, its state returned, its custom chunks sent on. Of a
// parallel group they come by time.
import type { JsonObject, PlanEntry } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { callGroup } from './call-group.ts';
import type { StageRequest } from './call-processors.ts';
import type { StageData } from './custom-chunks.ts';
import { foldVerdict, type Judged, type StageFold } from './verdict-fold.ts';

export type Folding = { fold: StageFold; data: StageData };

/** Custom chunks wait for the whole group: they would pass members that are still at work. */
export async function foldGroup(
  run: Run,
  members: PlanEntry[],
  request: StageRequest,
  { fold: before, data }: Folding,
) {
  const started = performance.now();
  let fold = before;
  const onData: StageRequest['onData'] = (chunks) => data.write(chunks, members);
  for await (const judged of callGroup(run, members, { ...request, onData })) {
    if (run.signal.aborted) break;
    fold = keep(run, fold, judged, data, members);
    if (fold.stopped) break;
  }
  return fold.stopped ? withCancelled(fold, members, performance.now() - started) : fold;
}

export function keep(
  run: Run,
  fold: StageFold,
  judged: Judged,
  data: StageData,
  atWork: readonly PlanEntry[],
): StageFold {
  const next = foldVerdict(fold, judged);
  returnStates(run, fold, next);
  data.write(next.data.slice(fold.data.length), atWork);
  return next;
}

/** Who was still at work when the group was decided has judged nothing: that is not to look like an agreement. */
function withCancelled(fold: StageFold, members: readonly PlanEntry[], ms: number): StageFold {
  const told = new Set(fold.outcomes.map(({ entry }) => entry));
  const rest = members.filter(({ entry }) => !told.has(entry));
  const cancelled = rest.map(({ entry, processor }) => ({ entry, processor, verdict: 'cancelled', ms, attempts: 1 }));
  return { ...fold, outcomes: [...fold.outcomes, ...cancelled] };
}

/** A state comes back with the verdict, not with the end of the stage: chunks in between may pass the same entry. */
function returnStates(run: Run, before: StageFold, after: StageFold): void {
  const isNew = ([entry, state]: [string, JsonObject]) => before.states[entry] !== state;
  const states = Object.fromEntries(Object.entries(after.states).filter(isNew));
  if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
}
