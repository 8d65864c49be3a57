// Opens a client's connection: the bus under one tenant, and the function that requests a verb of the api.
import {
  MillraceError,
  OPERATOR_CALLER,
  hashCaller,
  type ApiAnswer,
  type ApiRequestInput,
  type ApiVerb,
  type KeyBudget,
  type PublicAnswer,
  type PublicVerb,
} from '@millrace/contracts';
import {
  askApi,
  askPublicApi,
  buildInboxPrefix,
  connectBus,
  readConnectionSettings,
  resolveAddress,
  withStackKey,
  type Bus,
  type BusAddress,
  type BusLog,
  type ConnectionSettings,
  type Env,
} from '@millrace/bus';
import type { KeptLimits } from './chunk-log.ts';

/**
 * Credentials: one of a key, a user and a token; an API key or a JWT is a token and needs its `subject`. They override
 * those of `env`, and both override those in the address.
 */
export type ConnectOptions = ConnectionSettings & {
  /** May contain credentials. Default: resolveAddress with `env` and `cwd`. */
  url?: string;
  /** Environment with NATS_URL and the variables of credentials. Default: empty; pass `process.env` in a program. */
  env?: Env;
  cwd?: string;
  /** Default: `default`. */
  tenant?: string;
  /**
   * Identity of the caller, such as the `sub` of its token: requests, runs and memory belong to it, and the permissions
   * of the connection have to allow its subjects. Default: an operator, which sees the runs of all callers.
   */
  subject?: string;
  /** Prefix of every subject. Default: `mr.v1`. */
  prefix?: string;
  log?: BusLog;
  connectTimeoutMs?: number;
};

type AskApiOptions = { run?: string; signal?: AbortSignal | undefined; timeoutMs?: number; submission?: string };
export type AskApi = <V extends ApiVerb>(
  verb: V,
  request: ApiRequestInput<V>,
  options?: AskApiOptions,
) => Promise<ApiAnswer<V>>;

/** Requests the form of an answer that every caller may read. */
export type AskPublic = <V extends PublicVerb>(verb: V, request: ApiRequestInput<V>) => Promise<PublicAnswer<V>>;

export type ClientConnection = {
  bus: Bus;
  tenant: string;
  caller: string;
  subject?: string;
  /** Bounds of the buffer of a run. */
  kept?: KeptLimits | undefined;
  ask: AskApi;
  askPublic: AskPublic;
  /** @throws run-unknown for a run of an agent that the connection is limited from */
  requireRun(runId: string): Promise<void>;
  /** Agents that the connection is limited to. Absent: no limit. */
  agents?: string[];
  /** The connection is not limited to other agents. */
  mayUse(agent: string): boolean;
};

const CONNECT_TIMEOUT_MS = 5_000;

/** @throws bus-unreachable and credentials-refused with the address and its source; config-invalid */
export async function openConnection(options: ConnectOptions, tenant: string): Promise<ClientConnection> {
  const { url, env = {}, cwd = process.cwd(), prefix, log, connectTimeoutMs = CONNECT_TIMEOUT_MS, subject } = options;
  const caller = await chooseCaller(tenant, subject);
  const address = await findAddress(url, env, cwd);
  const bus = await connectBus({
    servers: address.url,
    ...withStackKey(withOwnInboxes(chooseSettings(options, env), subject, caller), address, ['operator']),
    ...(prefix !== undefined && { prefix }),
    ...(log && { log }),
    name: 'client',
    connectTimeoutMs,
  }).catch((error: unknown) => {
    throw MillraceError.isInstance(error) ? withSource(error, address) : error;
  });
  return attachCaller(bus, { tenant, subject });
}

const chooseCaller = async (tenant: string, subject: string | undefined): Promise<string> =>
  subject === undefined ? OPERATOR_CALLER : hashCaller(tenant, subject);

export type Caller = {
  tenant: string;
  /** Absent: an operator. */
  subject?: string | undefined;
  /** Bounds of the buffer of each run. */
  kept?: KeptLimits | undefined;
  /** Limits of money of the key of the caller. */
  budget?: KeyBudget | undefined;
};

/** Verbs whose requests may call models. */
const BUDGETED: ReadonlySet<ApiVerb> = new Set(['submit', 'check', 'processors-try']);

/** Returns the connection of a caller over an open bus. */
export async function attachCaller(bus: Bus, { tenant, subject, kept, budget }: Caller): Promise<ClientConnection> {
  const caller = await chooseCaller(tenant, subject);
  return {
    bus,
    tenant,
    caller,
    ...(subject !== undefined && { subject }),
    kept,
    async ask(verb, request, { run, signal, timeoutMs, submission } = {}) {
      refuseClosed(bus);
      const sent = budget && BUDGETED.has(verb) ? { ...request, budget } : request;
      return askApi(bus, verb, { tenant, caller, ...(run !== undefined && { run }) }, sent, {
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(submission !== undefined && { submission }),
      });
    },
    async askPublic(verb, request) {
      refuseClosed(bus);
      return askPublicApi(bus, verb, { tenant, caller }, request);
    },
    requireRun: async () => undefined,
    mayUse: () => true,
  };
}

/** @throws cancelled after `close` */
export function refuseClosed({ nc }: Bus): void {
  if (nc.isClosed()) throw new MillraceError('cancelled', 'The client is closed.', { remedy: 'Connect again.' });
}

async function findAddress(url: string | undefined, env: Env, cwd: string): Promise<BusAddress> {
  if (url === undefined) return resolveAddress(env, cwd);
  return { ...(await resolveAddress({ NATS_URL: url }, cwd)), source: 'url' };
}

/** Credentials of the options replace all those of the environment, because a connection has one identity. */
function chooseSettings(options: ConnectOptions, env: Env): ConnectionSettings {
  const { user, pass, token, nkeySeed, nkeyFile, credsFile, tls, inboxPrefix } = options;
  const { tls: envTls, inboxPrefix: envPrefix, ...envIdentity } = readConnectionSettings(env);
  const identity = {
    ...(user !== undefined && { user, pass: pass ?? '' }),
    ...(token !== undefined && { token }),
    ...(nkeySeed !== undefined && { nkeySeed }),
    ...(nkeyFile !== undefined && { nkeyFile }),
    ...(credsFile !== undefined && { credsFile }),
  };
  const chosenTls = tls ?? envTls;
  const chosenPrefix = inboxPrefix ?? envPrefix;
  return {
    ...(Object.keys(identity).length > 0 ? identity : envIdentity),
    ...(chosenTls && { tls: chosenTls }),
    ...(chosenPrefix !== undefined && { inboxPrefix: chosenPrefix }),
  };
}

/** NATS lets a connection with an API key or a JWT subscribe to the inboxes of its caller alone. */
function withOwnInboxes(settings: ConnectionSettings, subject: string | undefined, caller: string): ConnectionSettings {
  if (settings.token === undefined || subject === undefined || settings.inboxPrefix !== undefined) return settings;
  return { ...settings, inboxPrefix: buildInboxPrefix(caller) };
}

function withSource(error: MillraceError, { source }: BusAddress): MillraceError {
  if (source === 'url' || error.code === 'config-invalid') return error;
  const where = source === 'default' ? 'the default: no NATS_URL is set and no .millrace/stack.json found' : source;
  const stale = source.endsWith('.json') ? ' The stack that wrote it may have ended.' : '';
  return new MillraceError(error.code, `${error.message} The address is from ${where}.${stale}`, {
    path: error.path,
    remedy: error.remedy,
    cause: error.cause,
  });
}
