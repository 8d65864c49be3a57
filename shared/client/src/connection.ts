// A client's connection: the bus under one tenant, and the one way to ask a verb of the api.
import { MillraceError, type ApiAnswer, type ApiRequestInput, type ApiVerb } from '@millrace/contracts';
import { askApi, connectBus, resolveAddress, type Address, type Bus, type BusLog, type Env } from '@millrace/bus';

export type ConnectOptions = {
  /** Instead of those that stand in the address. */
  user?: string;
  pass?: string;
  token?: string;
  /** Credentials may stand in it. Absent: as resolveAddress finds it from `env` and `cwd`. */
  url?: string;
  /** What NATS_URL is read from; nothing if absent: pass `process.env` in a program. */
  env?: Env;
  cwd?: string;
  /** `default` if absent. */
  tenant?: string;
  /** Of every subject; `mr.v1` if absent. */
  prefix?: string;
  log?: BusLog;
  connectTimeoutMs?: number;
};

type AskOptions = { run?: string; signal?: AbortSignal | undefined; timeoutMs?: number };
export type Ask = <V extends ApiVerb>(
  verb: V,
  request: ApiRequestInput<V>,
  options?: AskOptions,
) => Promise<ApiAnswer<V>>;

export type Connection = { bus: Bus; tenant: string; ask: Ask };

const CONNECT_TIMEOUT_MS = 5_000;

/** @throws bus-unreachable, with the address and who named it */
export async function openConnection(options: ConnectOptions, tenant: string): Promise<Connection> {
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

function withSource(error: MillraceError, { source }: Address): MillraceError {
  if (source === 'url') return error;
  const where = source === 'default' ? 'the default: no NATS_URL is set and no .millrace/stack.json found' : source;
  const stale = source.endsWith('.json') ? ' The stack that wrote it may have ended.' : '';
  return new MillraceError(error.code, `${error.message} The address is from ${where}.${stale}`, {
    path: error.path,
    remedy: error.remedy,
    cause: error.cause,
  });
}
