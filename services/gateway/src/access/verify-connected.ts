// Verifies credentials while NATS may be away: a short outage delays a request, a longer one ends it as an outage.
// Errors for callers name no subject of the bus.
import type { Bus } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';
import type { VerifyIdentity } from './credentials.ts';

/** Maximum delay of a request, ms. Longer than a restart of NATS, shorter than the timeouts of most clients. */
const CONNECTION_WAIT_MS = 2_000;
const RETRY_AFTER_MS = 1_000;

/** Returns a function that throws bus-unreachable without a connection, and the outage of auth without its subject. */
export function verifyConnected(
  bus: Pick<Bus, 'hasConnection' | 'onReconnect'>,
  verify: VerifyIdentity,
): VerifyIdentity {
  return async (credential) => {
    if (!bus.hasConnection()) await waitForConnection(bus);
    try {
      return await verify(credential);
    } catch (error) {
      if (!isOutage(error)) throw error;
      throw bus.hasConnection() ? createSilentError(error) : createUnreachableError(error);
    }
  };
}

async function waitForConnection(bus: Pick<Bus, 'onReconnect'>): Promise<void> {
  const reconnected = Promise.withResolvers<void>();
  const giveUp = setTimeout(() => reconnected.reject(createUnreachableError()), CONNECTION_WAIT_MS);
  const stopListening = bus.onReconnect(reconnected.resolve);
  try {
    await reconnected.promise;
  } finally {
    clearTimeout(giveUp);
    stopListening();
  }
}

const isOutage = (error: unknown): error is MillraceError =>
  MillraceError.isInstance(error) && ['timeout', 'nobody-there', 'bus-unreachable'].includes(error.code);

const createUnreachableError = (cause?: MillraceError): MillraceError =>
  new MillraceError('bus-unreachable', 'The gateway has no connection to NATS.', {
    remedy: 'Repeat the request later.',
    retryAfterMs: RETRY_AFTER_MS,
    cause,
  });

const createSilentError = (cause: MillraceError): MillraceError =>
  new MillraceError(cause.code, 'The credential cannot be verified, because the service auth does not answer.', {
    remedy: 'Repeat the request later.',
    retryAfterMs: RETRY_AFTER_MS,
    cause,
  });
