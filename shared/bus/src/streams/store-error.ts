// Maps JetStream's errors to coded errors for reads and writes.
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from 'nats';

/** A stream, a consumer or all of JetStream is missing: the connection works, its store does not. */
const STORE_IS_GONE: readonly number[] = [10059, 10014, 10039, 10008, 10076];

export function isStoreMissing(error: unknown): boolean {
  return (error instanceof JetStreamApiError && STORE_IS_GONE.includes(error.code)) || hasNoResponder(error);
}

/** No responder for JetStream, or no stream for the subject. */
function hasNoResponder(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  if (!(error instanceof Error)) return false;
  return (error instanceof errors.RequestError && error.isNoResponders()) || hasNoResponder(error.cause);
}

/** Coded errors and bugs are returned unchanged. */
export function storeError(error: unknown, what: string): unknown {
  if (MillraceError.isInstance(error) || isBug(error)) return error;
  if (isStoreMissing(error)) {
    return new MillraceError('store-unavailable', `NATS has no store for ${what}: ${String(error)}`, {
      cause: error,
      path: what,
      remedy: 'Try again in some seconds; an orchestrator creates missing streams again.',
    });
  }
  return new MillraceError('bus-unreachable', `Reading or writing ${what} failed: ${String(error)}`, {
    cause: error,
    path: what,
    remedy: 'Try again after NATS has recovered.',
  });
}

/** Returns true if a retry would throw the same. */
export function isBug(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
}
