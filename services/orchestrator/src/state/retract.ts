// Stores the state of a run before its chunks are retracted.
import { MillraceError } from '@millrace/contracts';
import { FencedError } from '../streams/fenced-error.ts';
import type { Run } from './run-context.ts';

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
