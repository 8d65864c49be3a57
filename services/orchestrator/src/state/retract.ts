// Takes chunks back: clients drop everything from the index on. Nothing is said where nothing was published: what waited for its release
// was never there.
import { chunk } from './make-chunk.ts';
import type { Run } from './run-context.ts';

export function retract(run: Run, from: number, reason?: string): void {
  const finish = { stepResult: { reason: 'retry', isContinued: true }, output: {}, metadata: {} };
  const { runId } = run.ref;
  run.chunks.takeBack(from, (index) => [
    ...(reason === 'retry' ? [chunk(runId, { type: 'step-finish', payload: finish })] : []),
    chunk(runId, { type: 'retract', payload: { index } }),
  ]);
}
