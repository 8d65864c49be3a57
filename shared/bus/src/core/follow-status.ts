// Follows the status of a connection: lost and restored, refused credentials, refused permissions. A denied publish is
// reported only here.
import { toLoggedError } from '@millrace/contracts';
import { PermissionViolationError, type NatsConnection } from 'nats';
import type { BusLog } from '../connection/bus-log.ts';
import { isCredentialError } from '../connection/connection-failure.ts';
import type { Inbox } from '../connection/inbox.ts';
import { RECONNECT_WAIT_MS } from '../connection/open-connection.ts';
import { createPermissionError, isReplyRefused, type Operation, type Refusals } from '../connection/refusals.ts';

/** Refused credentials are tried again after twice the time, up to this, ms. */
const MAX_RETRY_WAIT_MS = 5_000;
const JITTER_MS = 100;
/** Time after a reconnect for which replies may belong to requests of the former connection, ms: the timeout of a long call. */
const LATE_REPLIES_MS = 120_000;
/** Start of the problem of a connection with refused credentials. */
export const REFUSED_CREDENTIALS = 'NATS refuses the credentials';

export type LinkState = {
  connected: boolean;
  /** Number of connections so far. */
  connections: number;
  /** Time of the last one, by the monotonic clock of this process, ms. */
  connectedAt: number;
  /** Why the server refuses the credentials, until it accepts them. */
  refused: string | undefined;
  /** Successive attempts with refused credentials. */
  refusedAttempts: number;
  /** Listeners of `onReconnect`. */
  reconnected: Set<() => void>;
  onReconnect(listener: () => void): () => void;
  retryDelayMs(): number;
};

export function createLinkState(): LinkState {
  const reconnected = new Set<() => void>();
  const state: LinkState = {
    connected: true,
    connections: 1,
    connectedAt: performance.now(),
    refused: undefined,
    refusedAttempts: 0,
    reconnected,
    onReconnect(listener) {
      reconnected.add(listener);
      return () => void reconnected.delete(listener);
    },
    retryDelayMs: () =>
      Math.min(RECONNECT_WAIT_MS * 2 ** state.refusedAttempts, MAX_RETRY_WAIT_MS) + Math.random() * JITTER_MS,
  };
  return state;
}

type FollowedConnection = { nc: NatsConnection; log: BusLog; state: LinkState; refusals: Refusals; inbox: Inbox };

/** Resolves when the connection is closed. */
export async function followStatus(followed: FollowedConnection): Promise<void> {
  const { nc, log, state, refusals } = followed;
  for await (const status of nc.status()) {
    if (status.type === 'disconnect') state.connected = false;
    if (status.type === 'reconnect') {
      Object.assign(state, { connected: true, connectedAt: performance.now(), refused: undefined, refusedAttempts: 0 });
      state.connections += 1;
      refusals.forgetConnection();
      for (const listener of state.reconnected) notify(log, listener);
    }
    if (status.type === 'error' && status.error instanceof PermissionViolationError) {
      refuse(followed, status.error);
      continue;
    }
    if (status.type === 'error' && isCredentialError(status.error)) {
      state.refused = `${REFUSED_CREDENTIALS}: ${status.error.message}`;
      state.refusedAttempts += 1;
    }
    const quiet = status.type === 'ping' || status.type === 'forceReconnect';
    const loud = status.type === 'error' || status.type === 'slowConsumer';
    if (!quiet) log[loud ? 'error' : 'info']({ status }, `nats: ${status.type}`);
  }
}

/** An error of one listener does not affect the others, or the following of the status. */
function notify(log: BusLog, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    log.error(toLoggedError(error), 'a listener of the reconnection failed');
  }
}

/** The server allows replies to the requests of the same connection: it refuses those to requests of the former one, which is no defect. */
const isNewConnection = ({ connections, connectedAt }: LinkState): boolean =>
  connections > 1 && performance.now() - connectedAt < LATE_REPLIES_MS;

/** Logs a missing permission once for each connection, and ends the requests that could not be published. */
function refuse(
  { log, state, refusals, inbox }: FollowedConnection,
  { operation, subject, message: answer }: PermissionViolationError,
) {
  const refused: Operation = operation === 'publish' ? 'publish' : 'subscribe';
  const error = createPermissionError(refused, subject);
  const { message, remedy } = error;
  if (isReplyRefused(refused, subject) && isNewConnection(state)) log.debug({ subject }, 'a reply is too late');
  else if (refusals.add({ operation: refused, subject }, performance.now()))
    log.error({ subject, answer, remedy }, message);
  if (refused === 'publish') inbox.fail(subject, error);
}
