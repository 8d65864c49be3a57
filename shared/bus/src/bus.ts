// Opens a connection to NATS with the names, limits and inbox of a service. All replies arrive in one inbox.
import {
  MillraceError,
  createNames,
  createSubjects,
  DEFAULT_PREFIX,
  isToken,
  shownAddress,
  timings,
} from '@millrace/contracts';
import type { NatsConnection, NodeConnectionOptions } from 'nats';
import type { BusLog } from './bus-log.ts';
import { buildInboxPrefix, checkInboxPrefix, createInbox, type Inbox } from './inbox.ts';
import { parseServerAddress, type ServerAddress } from './server-address.ts';
import { within } from './within.ts';
import { NatsConnectionImpl, setTransportFactory } from '@nats-io/nats-core/internal';
import { nodeResolveHost } from 'nats/lib/node_transport.js';
import { TurnTransport } from './turn-transport.ts';

/** Connects with our own transport: the client's own `connect` would replace it. */
export function connectNats(options: NodeConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new TurnTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}

export type Bus = {
  nc: NatsConnection;
  /** Sender id: a token, unique to this process. */
  id: string;
  name: string;
  subjects: ReturnType<typeof createSubjects>;
  names: ReturnType<typeof createNames>;
  inbox: Inbox;
  log: BusLog;
  /** Returns true while connected; a lost connection is retried forever. */
  hasConnection(): boolean;
  /** Returns the number of connections so far: replies to requests over an earlier one may be lost. */
  connections(): number;
  /** Calls the listener after each reconnect. Returns a function that removes it. */
  onReconnect(listener: () => void): () => void;
  /** The server's limit for one message, bytes. */
  maxPayload(): number;
  close(): Promise<void>;
};

export type BusOptions = {
  /** As in NATS_URL: comma-separated, credentials before an @. `user` and `token` override those. */
  servers: string;
  /**
   * A token: the service's name. The inboxes of a connection without a user start with `_INBOX.<name>`.
   */
  name: string;
  /** `_INBOX` and further tokens. Default: `_INBOX.<user>`, so that permissions can restrict each user to its own. */
  inboxPrefix?: string;
  id?: string;
  prefix?: string;
  user?: string;
  pass?: string;
  token?: string;
  log?: BusLog;
  /** Maximum time for the first connection. Default: unlimited. */
  connectTimeoutMs?: number;
};

const RECONNECT_WAIT_MS = 200;
const FIRST_TRY_TIMEOUT_MS = 5_000;
/** Maximum time to flush the last messages. */
const CLOSE_GRACE_MS = 2_000;

const silent: BusLog = { debug() {}, info() {}, warn() {}, error() {} };

/** @throws bus-unreachable with the address without its credentials; config-invalid */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { servers, name, prefix = DEFAULT_PREFIX, log = silent } = options;
  const id = options.id ?? crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const address = resolveIdentity(options);
  const { user } = address;
  const inboxPrefix = options.inboxPrefix
    ? checkInboxPrefix(options.inboxPrefix)
    : buildInboxPrefix(user !== undefined && isToken(user) ? user : name);
  const nc = await openConnection(options, address, inboxPrefix);
  const inbox = createInbox(nc, inboxPrefix, log);
  const state = { connected: true, connections: 1 };
  const reconnected = new Set<() => void>();
  void report(nc, log, state, () => reconnected.forEach((listener) => listener()));
  return {
    nc,
    id,
    name,
    subjects: createSubjects(prefix),
    names: createNames(prefix),
    inbox,
    log,
    hasConnection: () => state.connected && !nc.isClosed(),
    connections: () => state.connections,
    onReconnect(listener) {
      reconnected.add(listener);
      return () => void reconnected.delete(listener);
    },
    maxPayload: () => nc.info?.max_payload ?? 1_048_576,
    close: async () => {
      if (nc.isClosed()) return;
      inbox.close();
      // A drain ends with the server's reply, and never after the server is lost.
      if (state.connected) await within(nc.drain(), CLOSE_GRACE_MS);
      await nc.close();
      log.debug({ servers: shownAddress(servers) }, 'disconnected from NATS');
    },
  };
}

/** Returns the servers with one identity: credentials of the options override those in the address. */
function resolveIdentity({ servers, user, pass, token }: BusOptions): ServerAddress {
  const parsed = parseServerAddress(servers);
  const own = { ...(user !== undefined && { user, pass: pass ?? '' }), ...(token !== undefined && { token }) };
  return Object.keys(own).length > 0 ? { servers: parsed.servers, ...own } : parsed;
}

async function openConnection(
  options: BusOptions,
  address: ServerAddress,
  inboxPrefix: string,
): Promise<NatsConnection> {
  const { servers, name, connectTimeoutMs } = options;
  try {
    return await connectNats({
      ...address,
      name,
      inboxPrefix,
      maxReconnectAttempts: -1,
      pingInterval: timings.busPingMs,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      noAsyncTraces: true,
      waitOnFirstConnect: connectTimeoutMs === undefined,
      timeout: connectTimeoutMs ?? FIRST_TRY_TIMEOUT_MS,
    });
  } catch (cause) {
    throw new MillraceError('bus-unreachable', `No NATS server answers at ${shownAddress(servers)}.`, {
      cause,
      remedy: 'Start the stack (npm start), or set NATS_URL to its address.',
    });
  }
}

type BusConnection = { connected: boolean; connections: number };

/** A denied publish is reported only in these events: log it as an error. */
async function report(nc: NatsConnection, log: BusLog, state: BusConnection, reconnected: () => void): Promise<void> {
  for await (const status of nc.status()) {
    if (status.type === 'disconnect') state.connected = false;
    if (status.type === 'reconnect') {
      state.connected = true;
      state.connections += 1;
      reconnected();
    }
    const quiet = status.type === 'ping' || status.type === 'forceReconnect';
    const loud = status.type === 'error' || status.type === 'slowConsumer';
    if (!quiet) log[loud ? 'error' : 'info']({ status }, `nats: ${status.type}`);
  }
}
