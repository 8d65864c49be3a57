// Folds the stored actions on a run's transcript: the index at which each step begins, whether clients have read another
// text there than that of its answer, the buffered chunks, and the end of a run with retracted text. Pure.
import type { RunAction, RunState } from '@millrace/contracts';

type StoredAction = Extract<
  RunAction,
  { action: 'step-moved' | 'chunks-held' | 'stream-differed' | 'answer-restated' }
>;

export function reduceStored(state: RunState, action: StoredAction): RunState {
  const { open, shown, held } = state;
  switch (action.action) {
    case 'step-moved':
      return open ? { ...state, open: { ...open, firstIndex: action.firstIndex } } : state;
    case 'chunks-held':
      return { ...state, held: [...held.slice(0, action.keep), ...action.chunks] };
    case 'stream-differed': {
      // The step that is open, or the one that was closed last.
      if (open && !open.closed) return { ...state, open: { ...open, differs: true } };
      const last = shown.at(-1);
      return last ? { ...state, shown: [...shown.slice(0, -1), { ...last, differs: true }] } : state;
    }
    case 'answer-restated':
      return { ...state, restated: action };
  }
}

/** Returns the list with the step that is closed now. */
export function closeShown(
  shown: RunState['shown'],
  { firstIndex, differs }: NonNullable<RunState['open']>,
): RunState['shown'] {
  return [...shown, { firstIndex, ...(differs && { differs }) }];
}
