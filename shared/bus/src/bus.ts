// A connection to NATS with what every service needs of it: names, limits, and one inbox over which all replies come.
import { MillraceError, createNames, createSubjects, DEFAULT_PREFIX, shownAddress } from '@millrace/contracts';
import type { NatsConnection } from 'nats';
import type { BusLog } from './bus-log.ts';
import { connectNats } from './connect-nats.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { parseServerAddress } from './server-address.ts';
import { within } from './within.ts';

export type Bus = {
  nc: NatsConnection;
  /** Who speaks: a token, unique to this process. */
  id: string;
  name: string;
  subjects: ReturnType<typeof createSubjects>;
  names: ReturnType<typeof createNames>;
  inbox: Inbox;
  log: BusLog;
  /** Whether there is a connection now; a lost one is tried again for ever. */
  connected(): boolean;
  /** How often it has been made: answers to what was asked over an earlier one may be lost. */
  connections(): number;
  /** Calls back each time a lost connection is there again. Returns what ends that. */
  onReconnect(listener: () => void): () => void;
  /** The server's limit for one message, bytes. */
  maxPayload(): number;
  close(): Promise<void>;
};

export type BusOptions = {
  /** As in NATS_URL: several with commas between them, credentials before an @. `user` and `token` win over those. */
  servers: string;
  /** A token: the service's name. Its inboxes begin with `_INBOX_<name>`, so that permissions can tell services apart. */
  name: string;
  id?: string;
  prefix?: string;
  user?: string;
  pass?: string;
  token?: string;
  log?: BusLog;
  /** How long the first connection is tried; forever if absent. */
  connectTimeoutMs?: number;
};

const PING_INTERVAL_MS = 5_000;
const RECONNECT_WAIT_MS = 200;
const FIRST_TRY_TIMEOUT_MS = 5_000;
/** How long the last messages may take on their way out. */
const CLOSE_GRACE_MS = 2_000;

const silent: BusLog = { debug() {}, info() {}, warn() {}, error() {} };

/** @throws bus-unreachable, with the address but never its credentials; config-invalid */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { servers, name, prefix = DEFAULT_PREFIX, log = silent } = options;
  const id = options.id ?? crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const nc = await open(options, `_INBOX_${name}`);
  const inbox = createInbox(nc, `_INBOX_${name}`, log);
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
    connected: () => state.connected && !nc.isClosed(),
    connections: () => state.connections,
    onReconnect(listener) {
      reconnected.add(listener);
      return () => void reconnected.delete(listener);
    },
    maxPayload: () => nc.info?.max_payload ?? 1_048_576,
    close: async () => {
      if (nc.isClosed()) return;
      inbox.close();
      // A drain ends with the server's answer, and so never where the server is gone.
      if (state.connected) await within(nc.drain(), CLOSE_GRACE_MS);
      await nc.close();
      log.debug({ servers: shownAddress(servers) }, 'disconnected from NATS');
    },
  };
}

async function open(options: BusOptions, inboxPrefix: string): Promise<NatsConnection> {
  const { servers, name, user, pass, token, connectTimeoutMs } = options;
  const parsed = parseServerAddress(servers);
  const own = { ...(user !== undefined && { user, pass: pass ?? '' }), ...(token !== undefined && { token }) };
  try {
    return await connectNats({
      ...(Object.keys(own).length > 0 ? { servers: parsed.servers, ...own } : parsed),
      name,
      inboxPrefix,
      maxReconnectAttempts: -1,
      pingInterval: PING_INTERVAL_MS,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      noAsyncTraces: true,
      waitOnFirstConnect: connectTimeoutMs === undefined,
      timeout: connectTimeoutMs ?? FIRST_TRY_TIMEOUT_MS,
    });
  } catch (cause) {
    throw new MillraceError('bus-unreachable', `No NATS server answers at ${shownAddress(servers)}.`, {
      cause,
      remedy: 'Start the stack (npm start), or set NATS_URL to where it is.',
    });
  }
}

type Connection = { connected: boolean; connections: number };

/** A denied publish is silent to its caller and arrives here alone: make it loud. */
async function report(nc: NatsConnection, log: BusLog, state: Connection, reconnected: () => void): Promise<void> {
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
