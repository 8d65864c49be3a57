// What a step has said so far was judged by the stages that judge a step: with `release: step` it comes out.
import type { Run } from '../state/run-context.ts';

export function settleStep(run: Run): void {
  run.chunks.settle(run.state().open?.firstIndex ?? run.chunks.nextIndex());
}
