// Retracts chunks: clients drop everything from the index on. If nothing was published, no retract is sent.
import { chunk } from '../release/make-chunk.ts';
import type { Run } from './run-context.ts';

export function retractFrom(run: Run, from: number, reason?: string): void {
  const finish = { stepResult: { reason: 'retry', isContinued: true }, output: {}, metadata: {} };
  const { runId } = run.ref;
  run.chunks.takeBack(from, (index) => [
    ...(reason === 'retry' ? [chunk(runId, { type: 'step-finish', payload: finish })] : []),
    chunk(runId, { type: 'retract', payload: { index } }),
  ]);
}
