// Opens the connection to NATS: the first attempts with coded errors, later ones forever.
import { setTimeout as delay } from 'node:timers/promises';
import { NatsConnectionImpl, setTransportFactory } from '@nats-io/nats-core/internal';
import { timings } from '@millrace/contracts';
import type { NatsConnection, NodeConnectionOptions } from 'nats';
import { nodeResolveHost } from 'nats/lib/node_transport.js';
import { settleAnswersWithoutErrors } from '../workarounds/answered-requests.ts';
import type { BusLog } from './bus-log.ts';
import { explainFailure } from './connection-failure.ts';
import type { BusTls } from './connection-settings.ts';
import type { ServerAddress } from './server-address.ts';
import { TurnTransport } from '../workarounds/turn-transport.ts';
import type { UserKey } from './user-key.ts';

/** Connects with our own transport: the client's own `connect` would replace it. */
export function connectNats(options: NodeConnectionOptions): Promise<NatsConnection> {
  settleAnswersWithoutErrors();
  setTransportFactory({ factory: () => new TurnTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}

export type OpenOptions = {
  /** With the user, password or token. */
  address: ServerAddress;
  key: UserKey | undefined;
  tls: BusTls | undefined;
  name: string;
  inboxPrefix: string;
  /** Returns the delay before the next attempt on the same server, ms. */
  retryDelayMs: () => number;
  /** Maximum time for the first connection. Undefined: unlimited. */
  connectTimeoutMs: number | undefined;
  log: BusLog;
};

export const RECONNECT_WAIT_MS = 200;
const FIRST_TRY_TIMEOUT_MS = 5_000;

/**
 * Waits for a server without a time limit, if there is none; refused credentials and certificates end the wait.
 * @throws bus-unreachable, credentials-refused
 */
export async function openConnection(options: OpenOptions): Promise<NatsConnection> {
  const { address, key, tls, name, inboxPrefix, retryDelayMs, connectTimeoutMs, log } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await connectNats({
        ...address,
        ...(key && { authenticator: key.authenticator }),
        ...(tls && { tls }),
        name,
        inboxPrefix,
        maxReconnectAttempts: -1,
        reconnectDelayHandler: retryDelayMs,
        // By default the client closes a connection if its credentials are refused twice.
        ignoreAuthErrorAbort: true,
        pingInterval: timings.busPingMs,
        noAsyncTraces: true,
        timeout: connectTimeoutMs ?? FIRST_TRY_TIMEOUT_MS,
      });
    } catch (cause) {
      const { error, isPermanent } = explainFailure(cause, { address, publicKey: key?.publicKey, tls });
      if (isPermanent || connectTimeoutMs !== undefined) throw error;
      if (attempt === 0) log.warn({ because: error.message }, 'waiting for the NATS server');
      await delay(RECONNECT_WAIT_MS);
    }
  }
}
