// The failures that every store may have, worded once.
import { MillraceError } from '@millrace/contracts';

/** @param store as in "The message store did not save". @param reason what the cause says, where that is not its message */
export function storeUnavailable(
  store: string,
  what: string,
  cause: unknown,
  reason: string = reasonOf(cause),
): MillraceError {
  return new MillraceError(
    'store-unavailable',
    `The ${store} did not ${what}: ${reason}${isUnderWay(reason) ? MAYBE_DONE : ''}`,
    {
      remedy: 'Check that the store runs and is reached from here, and ask again.',
      cause,
    },
  );
}

const MAYBE_DONE = ' (it may have been done all the same)';

/** In the words of the clients: what was asked has left this process, and nobody knows whether it arrived. */
function isUnderWay(reason: string): boolean {
  return /timed out|timeout|Connection is closed|ECONNRESET|socket hang up|other side closed/i.test(reason);
}

/** The store works and says that what it was asked is wrong: a script or a statement of ours. */
export function storeRefused(store: string, what: string, cause: unknown): MillraceError {
  return new MillraceError('internal', `The ${store} refused to ${what}: ${reasonOf(cause)}`, {
    remedy: 'This is a bug of the service, or its store has data of another version.',
    cause,
  });
}

export function saveSuperseded({ runId, epoch }: { runId: string; epoch: number }, savedEpoch: number): MillraceError {
  return new MillraceError(
    'save-superseded',
    `Run "${runId}" was saved by epoch ${savedEpoch}; ${epoch} came too late.`,
    { remedy: 'Nothing: a later owner of the run has saved what it said.' },
  );
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
