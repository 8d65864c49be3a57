// Who judges a run's result, and who saves it.
import { entriesOf } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

/** The entries of processOutputResult before memory's first, and from that one on. */
export function resultEntries({ plan }: Pick<Run, 'plan'>): [string[], string[]] {
  const entries = entriesOf(plan, 'processOutputResult');
  const first = entries.findIndex(({ memory }) => memory);
  const names = entries.map(({ entry }) => entry);
  return first < 0 ? [names, []] : [names.slice(0, first), names.slice(first)];
}
