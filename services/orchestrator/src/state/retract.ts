// Takes published chunks back: clients drop everything from the index on. Nothing is said where nothing was published.
import { chunk } from './make-chunk.ts';
import type { Run } from './run-context.ts';

export function retract(run: Run, from: number, reason?: string): void {
  if (run.chunks.nextIndex() <= from) return;
  const finish = { stepResult: { reason: 'retry', isContinued: true }, output: {}, metadata: {} };
  const { runId } = run.ref;
  run.chunks.publish([
    ...(reason === 'retry' ? [chunk(runId, { type: 'step-finish', payload: finish })] : []),
    chunk(runId, { type: 'retract', payload: { index: from } }),
  ]);
}
