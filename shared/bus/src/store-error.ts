// What JetStream's refusals mean to whoever wanted something stored or read.
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from 'nats';

/** A stream, a consumer or all of JetStream is gone: the connection is there, its store is not. */
const STORE_IS_GONE: readonly number[] = [10059, 10014, 10039, 10008, 10076];

export function isStoreGone(error: unknown): boolean {
  return (error instanceof JetStreamApiError && STORE_IS_GONE.includes(error.code)) || isNobody(error);
}

/** Nobody answers for JetStream, or no stream takes the subject. */
function isNobody(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  if (!(error instanceof Error)) return false;
  return (error instanceof errors.RequestError && error.isNoResponders()) || isNobody(error.cause);
}

/** Coded errors and bugs stay what they are. */
export function storeError(error: unknown, what: string): unknown {
  if (MillraceError.isInstance(error) || isBug(error)) return error;
  if (isStoreGone(error)) {
    return new MillraceError('store-unavailable', `NATS has no store for ${what} now: ${String(error)}`, {
      cause: error,
      path: what,
      remedy: 'Try again in some seconds; an orchestrator makes what is missing anew.',
    });
  }
  return new MillraceError('bus-unreachable', `${what} could not be stored or read: ${String(error)}`, {
    cause: error,
    path: what,
    remedy: 'Try again when NATS is back.',
  });
}

/** Trying again would throw the same. */
export function isBug(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
}
