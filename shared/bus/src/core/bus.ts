// Opens a connection to NATS with the names, limits and inbox of a service. All replies arrive in one inbox.
import { NatsConnectionImpl } from '@nats-io/nats-core/internal';
import { createNames, createSubjects, DEFAULT_PREFIX, isToken, hideAddressParts } from '@millrace/contracts';
import type { NatsConnection } from 'nats';
import type { BusLog } from '../connection/bus-log.ts';
import { checkSettings, type ConnectionSettings } from '../connection/connection-settings.ts';
import { followKey } from '../connection/follow-key.ts';
import { buildInboxPrefix, createInbox, type Inbox } from '../connection/inbox.ts';
import { openConnection } from '../connection/open-connection.ts';
import { createRefusals, type Refusals } from '../connection/refusals.ts';
import { createLinkState, followStatus } from './follow-status.ts';
import { parseServerAddress, type ServerAddress } from '../connection/server-address.ts';
import { waitAtMost } from './within.ts';

export type Bus = {
  nc: NatsConnection;
  /** Sender id: a token, unique to this process. */
  id: string;
  name: string;
  subjects: ReturnType<typeof createSubjects>;
  names: ReturnType<typeof createNames>;
  inbox: Inbox;
  log: BusLog;
  /** Permissions that the server has refused on this connection. */
  refusals: Refusals;
  /** Returns true while connected; a lost connection is retried forever. */
  hasConnection(): boolean;
  /**
   * Returns why the connection cannot do its work: it is lost, the server refuses the credentials or a permission.
   * Undefined: it can.
   */
  findProblem(): string | undefined;
  /** Returns the number of connections so far: replies to requests over an earlier one may be lost. */
  countConnections(): number;
  /** Returns the time of the last connection, by `performance.now()`. Other processes may connect later. */
  readConnectedAt(): number;
  /** Calls the listener after each reconnect. Returns a function that removes it. */
  onReconnect(listener: () => void): () => void;
  /** The server's limit for one message, bytes. */
  readMaxPayload(): number;
  close(): Promise<void>;
};

/** Credentials and TLS: one of a key, a user and a token. Each of them overrides the credentials in the address. */
export type BusOptions = ConnectionSettings & {
  /** As in NATS_URL: comma-separated, credentials before an @. */
  servers: string;
  /** A token: the service's name. The inboxes of a connection without a user start with `_INBOX.<name>`. */
  name: string;
  id?: string;
  prefix?: string;
  log?: BusLog;
  /** Maximum time for the first connection. Default: unlimited. */
  connectTimeoutMs?: number;
};

/** Maximum time to flush the last messages. */
const CLOSE_GRACE_MS = 2_000;

const silent: BusLog = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * @throws bus-unreachable with the address without its credentials; credentials-refused; config-invalid with the
 * variable of an unreadable key or certificate
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { servers, name, prefix = DEFAULT_PREFIX, log = silent, connectTimeoutMs } = options;
  const id = options.id ?? crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  checkSettings(options);
  const address = resolveIdentity(options);
  const { user } = address;
  // Replaced below: before the connection is open there is no inbox to move.
  let takeKey = (_publicKey: string): void => undefined;
  const key = followKey(options, log, (publicKey) => takeKey(publicKey));
  const owner = key?.publicKey ?? (user !== undefined && isToken(user) ? user : name);
  const inboxPrefix = options.inboxPrefix ?? buildInboxPrefix(owner);
  const state = createLinkState();
  const { retryDelayMs } = state;
  const tls = resolveTls(options);
  const nc = await openConnection({ address, key, tls, name, inboxPrefix, retryDelayMs, connectTimeoutMs, log });
  const refusals = createRefusals();
  const inbox = createInbox({ nc, log, refusals, onReconnect: state.onReconnect }, inboxPrefix);
  takeKey = (publicKey) => {
    log.info({ publicKey }, 'the key of the NATS user has changed');
    if (options.inboxPrefix === undefined) moveInboxes(nc, inbox, buildInboxPrefix(publicKey));
  };
  void followStatus({ nc, log, state, refusals, inbox });
  return {
    nc,
    id,
    name,
    subjects: createSubjects(prefix),
    names: createNames(prefix),
    inbox,
    log,
    refusals,
    hasConnection: () => state.connected && !nc.isClosed(),
    findProblem: () => {
      if (state.refused !== undefined) return state.refused;
      return state.connected && !nc.isClosed() ? refusals.find(performance.now()) : 'no connection to NATS';
    },
    countConnections: () => state.connections,
    readConnectedAt: () => state.connectedAt,
    onReconnect: state.onReconnect,
    readMaxPayload: () => nc.info?.max_payload ?? 1_048_576,
    close: async () => {
      if (nc.isClosed()) return;
      inbox.close();
      // A drain ends with the server's reply, and never after the server is lost.
      if (state.connected) await waitAtMost(nc.drain(), CLOSE_GRACE_MS);
      await nc.close();
      log.debug({ servers: hideAddressParts(servers) }, 'disconnected from NATS');
    },
  };
}

/** The inboxes that the client itself opens follow: those of JetStream and of its own requests. */
function moveInboxes(nc: NatsConnection, inbox: Inbox, prefix: string): void {
  if (nc instanceof NatsConnectionImpl) nc.options.inboxPrefix = prefix;
  inbox.move(prefix);
}

/** Returns the servers with one identity: credentials of the options override those in the address. */
function resolveIdentity({ servers, user, pass, token, ...key }: BusOptions): ServerAddress {
  const parsed = parseServerAddress(servers);
  const own = { ...(user !== undefined && { user, pass: pass ?? '' }), ...(token !== undefined && { token }) };
  const hasOwn = Object.keys(own).length > 0 || key.nkeySeed || key.nkeyFile || key.credsFile;
  return hasOwn ? { servers: parsed.servers, ...own } : parsed;
}

/** An address `tls://` requires TLS: the client itself reads only the host. */
function resolveTls({ servers, tls }: BusOptions): BusOptions['tls'] {
  return tls ?? (/(?:^|,)\s*tls:\/\//i.test(servers) ? {} : undefined);
}
