// The part of a run's state about its stream: the first index of each accepted step, and whether clients have read
// another text there than that of the answer. Pure.
import type { RunState } from '@millrace/contracts';

type ShownStream = RunState['shown'];
type ShownStep = NonNullable<RunState['open']>;

/** Returns the list with the step that is closed now. */
export function closeShown(shown: ShownStream, { firstIndex, differs }: ShownStep): ShownStream {
  return [...shown, { firstIndex, ...(differs && { differs }) }];
}

/** Marks the step that is open, or the one that was closed last. */
export function markDiffering(state: RunState): RunState {
  const { open, shown } = state;
  if (open && !open.closed) return { ...state, open: { ...open, differs: true } };
  const last = shown.at(-1);
  return last ? { ...state, shown: [...shown.slice(0, -1), { ...last, differs: true }] } : state;
}
