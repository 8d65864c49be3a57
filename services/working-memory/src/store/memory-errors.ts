// The expected failures of working memory, worded once for both stores.
import { MillraceError } from '@millrace/contracts';
import type { RunMark } from './memory-store.ts';

export function storeUnavailable(what: string, cause: unknown): MillraceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError('store-unavailable', `The working-memory store did not ${what}: ${reason}`, {
    remedy: 'Check that the store runs and is reached from here, and ask again.',
    cause,
  });
}

export function writeSuperseded({ runId, epoch }: RunMark, writtenEpoch: number): MillraceError {
  return new MillraceError(
    'save-superseded',
    `Run "${runId}" was saved by epoch ${writtenEpoch}; ${epoch} came late.`,
    {
      remedy: 'Nothing: a later owner of the run has updated the memory.',
    },
  );
}
