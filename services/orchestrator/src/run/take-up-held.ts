// What the owner before this one held back is held on: it comes out where it will stand now, behind what this owner has said already.
import type { RunHead } from '@millrace/contracts';
import { ownerOf } from '../state/run-head.ts';
import type { Run } from '../state/run-context.ts';

export function takeUpHeld(run: Run, head: RunHead): void {
  const { held, open } = run.state();
  // Where those that are out had ended then: from there on, indices were places of what was held.
  const { index } = ownerOf(head);
  const moved = run.chunks.shownIndex() - index;
  run.chunks.restore(held);
  if (open && open.firstIndex > index && moved > 0) {
    run.dispatch({ action: 'step-moved', firstIndex: open.firstIndex + moved });
  }
}
