// Retracts chunks: clients drop everything from the index on. If nothing was published, no retract is sent.
import { MillraceError, type ErrorCode } from '@millrace/contracts';
import { FencedError } from '../streams/fenced-error.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import type { Run } from './run-context.ts';

/** @param reason of a repeated step, or the code of the failed model call */
export function retractFrom(run: Run, from: number, reason?: 'retry' | { code: ErrorCode }): void {
  const finish = { stepResult: { reason: 'retry', isContinued: true }, output: {}, metadata: {} };
  const { runId } = run.ref;
  run.chunks.takeBack(from, (index) => [
    ...(reason === 'retry' ? [makeChunk(runId, { type: 'step-finish', payload: finish })] : []),
    makeChunk(runId, { type: 'retract', payload: { index, ...(typeof reason === 'object' && reason) } }),
  ]);
}

/**
 * Stores the state before a retract, because no reader can restore dropped chunks: the next owner's chunks begin at
 * `from`. If the checkpoint cannot be written at all, the run continues all the same. @throws a failure that another
 * owner may recover from
 */
export async function storeBeforeRetract(run: Run, from: number): Promise<void> {
  await run.checkpoint(from).catch((error: unknown) => {
    const isAway = MillraceError.isInstance(error) && error.code === 'bus-unreachable';
    if (isAway || error instanceof FencedError) throw error;
  });
}
