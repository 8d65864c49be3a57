// The failures that every store may have, worded once.
import { MillraceError } from '@millrace/contracts';

/**
 * @param store subject of "The message store did not save". @param reason the cause, if its message does not contain it
 */
export function storeUnavailable(
  store: string,
  what: string,
  cause: unknown,
  reason: string = describeReason(cause),
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

/** Messages of the clients for a lost request: it was sent, and its arrival is unknown. */
function isUnderWay(reason: string): boolean {
  return /timed out|timeout|Connection is closed|ECONNRESET|socket hang up|other side closed/i.test(reason);
}

/** The store works and rejects the request: a script or a statement of ours is invalid. */
export function storeRefused(store: string, what: string, cause: unknown): MillraceError {
  return new MillraceError('internal', `The ${store} refused to ${what}: ${describeReason(cause)}`, {
    remedy: 'This is a bug of the service, or its store has data of another version.',
    cause,
  });
}

export function saveSuperseded({ runId, epoch }: { runId: string; epoch: number }, savedEpoch: number): MillraceError {
  return new MillraceError(
    'save-superseded',
    `Run "${runId}" was saved by epoch ${savedEpoch}; the write of epoch ${epoch} is too late.`,
    { remedy: 'No action is necessary: a later owner of the run has saved its messages.' },
  );
}

/** Start of the message of the client for a command without a connection, which names an option of the client. */
const NOT_CONNECTED = "Stream isn't writeable";

function describeReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.message.startsWith(NOT_CONNECTED)) return 'Redis is not connected';
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
