// Opens a client's connection: the bus under one tenant, and the function that requests a verb of the api.
import { MillraceError, type ApiAnswer, type ApiRequestInput, type ApiVerb } from '@millrace/contracts';
import { askApi, connectBus, resolveAddress, type BusAddress, type Bus, type BusLog, type Env } from '@millrace/bus';

export type ConnectOptions = {
  /** Overrides the user in the address. */
  user?: string;
  pass?: string;
  token?: string;
  /** May contain credentials. Default: resolveAddress with `env` and `cwd`. */
  url?: string;
  /** Environment with NATS_URL. Default: empty; pass `process.env` in a program. */
  env?: Env;
  cwd?: string;
  /** Default: `default`. */
  tenant?: string;
  /** Prefix of every subject. Default: `mr.v1`. */
  prefix?: string;
  log?: BusLog;
  connectTimeoutMs?: number;
};

type AskApiOptions = { run?: string; signal?: AbortSignal | undefined; timeoutMs?: number };
export type AskApi = <V extends ApiVerb>(
  verb: V,
  request: ApiRequestInput<V>,
  options?: AskApiOptions,
) => Promise<ApiAnswer<V>>;

export type ClientConnection = { bus: Bus; tenant: string; ask: AskApi };

const CONNECT_TIMEOUT_MS = 5_000;

/** @throws bus-unreachable with the address and its source */
export async function openConnection(options: ConnectOptions, tenant: string): Promise<ClientConnection> {
  const { url, env = {}, cwd = process.cwd(), prefix, log, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const address = url === undefined ? await resolveAddress(env, cwd) : { url, source: 'url' };
  const { user, pass, token } = options;
  const bus = await connectBus({
    servers: address.url,
    ...(user !== undefined && { user, pass: pass ?? '' }),
    ...(token !== undefined && { token }),
    ...(prefix !== undefined && { prefix }),
    ...(log && { log }),
    name: 'client',
    connectTimeoutMs,
  }).catch((error: unknown) => {
    throw MillraceError.isInstance(error) ? withSource(error, address) : error;
  });
  return {
    bus,
    tenant,
    ask: (verb, request, { run, signal, timeoutMs } = {}) =>
      askApi(bus, verb, { tenant, ...(run !== undefined && { run }) }, request, {
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
  };
}

function withSource(error: MillraceError, { source }: BusAddress): MillraceError {
  if (source === 'url') return error;
  const where = source === 'default' ? 'the default: no NATS_URL is set and no .millrace/stack.json found' : source;
  const stale = source.endsWith('.json') ? ' The stack that wrote it may have ended.' : '';
  return new MillraceError(error.code, `${error.message} The address is from ${where}.${stale}`, {
    path: error.path,
    remedy: error.remedy,
    cause: error.cause,
  });
}
