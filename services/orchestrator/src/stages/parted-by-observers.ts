// Where sessions have to end because somebody looks at what comes out of them.
import { entriesOf, segmentsOf, type PlanEntry } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

const stage = 'processOutputStream';

/** Entries parted where somebody observes between them: what comes out of the ones is to be seen before it goes into the others. */
export function partedByObservers(run: Run, entries: readonly PlanEntry[]): PlanEntry[][] {
  const wanted = new Set(entries.map(({ entry }) => entry));
  return segmentsOf(run.plan, stage, entriesOf(run.plan, stage)).flatMap((segment) => {
    const own = segment.observes ? [] : segment.entries.filter(({ entry }) => wanted.has(entry));
    return own.length === 0 ? [] : [own];
  });
}
