// Stores the state of a run before its published chunks are retracted, because no reader can restore dropped chunks: the
// next owner's chunks begin at the retracted index.
import { MillraceError } from '@millrace/contracts';
import { FencedError } from '../streams/fenced-error.ts';
import type { RunTranscript } from './run-transcript.ts';

export type StoringRun = {
  /** @param rejectedFrom first retracted index */
  checkpoint(rejectedFrom: number): Promise<unknown>;
  transcript: Pick<RunTranscript, 'discard' | 'isPublished' | 'withdraw'>;
};

/**
 * Withdraws the chunks from the place on. If some of them are published, `record` changes the state before, and the next
 * owner does not reach another end. @throws as `storeBeforeRetract`
 */
export async function withdrawStored(run: StoringRun, from: number, record: () => void): Promise<void> {
  run.transcript.discard(from);
  if (!run.transcript.isPublished(from)) return;
  record();
  await storeBeforeRetract(run, from);
  run.transcript.withdraw(from);
}

/**
 * If the checkpoint cannot be written at all, the run continues all the same. @throws a failure that another owner may
 * recover from
 */
export async function storeBeforeRetract(run: Pick<StoringRun, 'checkpoint'>, from: number): Promise<void> {
  await run.checkpoint(from).catch((error: unknown) => {
    const isAway = MillraceError.isInstance(error) && error.code === 'bus-unreachable';
    if (isAway || error instanceof FencedError) throw error;
  });
}
