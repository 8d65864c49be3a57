// Lists the services of the local stack: the caller's variables that each reads, and additional ones. Without Redis or
// Qdrant a service gets the path of an embedded store instead; never both.
import { join } from 'node:path';
import {
  ROLES,
  locateCalloutKeyFile,
  locateFirstKeyFile,
  locateQdrantKeyFile,
  locateRedisPasswordFile,
  locateSeedFile,
} from '@millrace/identity';
import { CONNECTION_VARIABLES } from '@millrace/service';
import type { BackingServers, StackEnvironment } from './backing-servers.ts';
import { PROXY, pickVariables } from './service-environment.ts';
import type { ServiceSpec } from './service-process.ts';
import type { StateDir } from './state-dir.ts';

type Store = 'redis' | 'qdrant';
/**
 * `runs`: connections of clients and runs under way. `processors`: code of stages, which may block or break; a service that `millrace new`
 * has added has a process of its own.
 */
export type HostName = 'runs' | 'processors';
/** `alone`: it has no embedded store, and does without. */
type ServiceRow = { name: string; host?: HostName; store?: Store; alone?: true; reads: readonly string[] };

/** Variable with the path of the file of providers. */
export const PROVIDER_FILE = 'PROVIDERS';
/** Variable with the path of the file of budgets. */
export const BUDGET_FILE = 'BUDGETS';

/** Every service on the bus. Not HEALTH_PORT and PROCESSORS: processes of one machine share neither a port nor a choice. */
const BUS = [...CONNECTION_VARIABLES, 'MILLRACE_PREFIX', 'LOG_LEVEL'];
const PROCESSORS = [...BUS, 'MAX_CALLS'];
const MODEL = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GOOGLE_BASE_URL',
  PROVIDER_FILE,
  ...PROXY,
];
const EMBEDDING = ['EMBEDDING_MODEL', 'EMBEDDING_BASE_URL', 'EMBEDDING_API_KEY'];
const RUN_LIMITS = [
  BUDGET_FILE,
  'MAX_RUNS_PER_TENANT',
  'MAX_CHECKS',
  'MAX_CHECKS_PER_TENANT',
  'MAX_QUEUED_RUNS',
  'MAX_RUNS_IN_FLIGHT',
  'RUNS_PER_SECOND',
  'MAX_INPUT_BYTES',
  'MAX_QUEUED_BYTES',
  'QUEUE_MAX_BYTES',
  'LOG_MAX_BYTES',
  'EVENTS_MAX_BYTES',
];
const STORE = ['REQUIRE_SHARED_STORE'];
/** For an external Qdrant: that of the stack has a key of its own. */
const QDRANT = ['QDRANT_API_KEY', 'QDRANT_API_KEY_FILE'] as const;
/** For an external Redis: that of the stack has users of its own. */
const REDIS = [
  'REDIS_USERNAME',
  'REDIS_PASSWORD_FILE',
  'REDIS_PASSWORD',
  'REDIS_TLS_CA_FILE',
  'REDIS_TLS_CERT_FILE',
  'REDIS_TLS_KEY_FILE',
];
const AUTH_FILES = ['AUTH_FIRST_KEY_FILE', 'AUTH_ISSUER_FILE', 'AUTH_ENCRYPTION_FILE', 'AUTH_SYSTEM_FILE'];
const JWT = [
  'AUTH_JWT_ISSUER',
  'AUTH_JWT_AUDIENCE',
  'AUTH_JWT_JWKS_URL',
  'AUTH_JWT_JWKS_FILE',
  'AUTH_JWT_ALGORITHMS',
  'AUTH_JWT_TENANT',
  'AUTH_JWT_TENANT_CLAIM',
  'AUTH_JWT_SUBJECT_CLAIM',
  'AUTH_JWT_SCOPES_CLAIM',
  'AUTH_JWT_SCOPES',
];

const GATEWAY = [
  'GATEWAY_HOST',
  'GATEWAY_PORT',
  'GATEWAY_HOSTS',
  'GATEWAY_ORIGINS',
  'CONSOLE_DIR',
  'MAX_BODY_BYTES',
  'MAX_CONNECTIONS',
  'MAX_STREAMS',
  'MAX_STREAMS_PER_KEY',
  'REQUESTS_PER_MINUTE',
  'FIRST_CONTENT_MS',
  'KEEP_ALIVE_MS',
];

/** In display order. dev-model is not included: it replaces a model provider. */
export const SERVICES: readonly ServiceRow[] = [
  {
    name: 'orchestrator',
    host: 'runs',
    reads: [
      ...BUS,
      ...MODEL,
      'MAX_RUNS',
      'STREAM_REPLICAS',
      'LOG_STREAMS',
      'SAVES_WAIT_HOURS',
      'ERASE_SERVICES',
      'MAX_INDEXED_RUNS',
      ...RUN_LIMITS,
    ],
  },
  {
    name: 'guardrails',
    host: 'processors',
    store: 'redis',
    alone: true,
    reads: [...PROCESSORS, ...MODEL, 'GUARD_API_KEY', 'GUARD_BASE_URL', 'HTTP_GUARDS', ...REDIS],
  },
  {
    name: 'message-history',
    host: 'processors',
    store: 'redis',
    reads: [...PROCESSORS, ...MODEL, ...STORE, ...REDIS, 'MODEL', 'FORGET_SERVICES'],
  },
  {
    name: 'semantic-recall',
    host: 'processors',
    store: 'qdrant',
    reads: [...PROCESSORS, ...MODEL, ...STORE, ...EMBEDDING, ...QDRANT],
  },
  {
    name: 'working-memory',
    host: 'processors',
    store: 'redis',
    reads: [...PROCESSORS, ...MODEL, ...STORE, ...REDIS, 'MODEL'],
  },
  { name: 'tools', host: 'processors', reads: [...PROCESSORS, 'MCP_SERVERS'] },
  { name: 'auth', host: 'runs', reads: [...BUS, ...AUTH_FILES, ...JWT, ...PROXY, 'STREAM_REPLICAS'] },
  { name: 'gateway', host: 'runs', store: 'redis', alone: true, reads: [...BUS, ...GATEWAY, ...REDIS] },
];

/** A stop of the whole stack takes seconds: longer runs are handed over. */
const DRAIN_GRACE_MS = 5_000;

export type SpecOptions = {
  checkout: string;
  state: StateDir;
  /** The caller's own environment; values that are set here override it. */
  env: StackEnvironment;
  servers: BackingServers;
  /** OPENAI_API_KEY and OPENAI_BASE_URL of dev-model, if it is used. */
  model: StackEnvironment;
  gatewayPort: number;
  /** Variables to which the file of providers refers. */
  providerVariables?: readonly string[];
};

export type HostedSpec = ServiceSpec & { host?: HostName | undefined };

export function listServiceSpecs(options: SpecOptions): HostedSpec[] {
  const { checkout, state, env, servers, model, gatewayPort, providerVariables = [] } = options;
  const withReferences = (reads: readonly string[]) =>
    reads.includes(PROVIDER_FILE) ? [...reads, ...providerVariables] : reads;
  return SERVICES.map(({ name, host, store, alone, reads }) => ({
    name,
    host,
    main: resolveMain(checkout, name),
    env: {
      ...pickVariables({ ...env, ...model }, omitOwn(withReferences(reads), servers)),
      NATS_URL: servers.nats.url,
      ...(servers.nats.keys !== undefined && buildKeyEnvironment(name, servers.nats.keys)),
      ...(name === 'gateway' && { GATEWAY_PORT: String(gatewayPort), CONSOLE_DIR: state.console }),
      DRAIN_GRACE_MS: String(DRAIN_GRACE_MS),
      NODE_COMPILE_CACHE: state.compileCache,
      ...(store && !(alone && servers[store].url === undefined) && buildStoreEnvironment(store, name, servers, state)),
    },
  }));
}

/** The service's own key; auth has those of the callout too, and registers the first API key. */
const buildKeyEnvironment = (service: string, keys: string): StackEnvironment => ({
  NATS_NKEY_FILE: locateSeedFile(keys, chooseRole(service)),
  ...(service === 'auth' && {
    AUTH_FIRST_KEY_FILE: locateFirstKeyFile(keys),
    AUTH_ISSUER_FILE: locateCalloutKeyFile(keys, 'issuer'),
    AUTH_ENCRYPTION_FILE: locateCalloutKeyFile(keys, 'encryption'),
    AUTH_SYSTEM_FILE: locateCalloutKeyFile(keys, 'system'),
  }),
});

/** A service that `millrace new` has added has no role of its own. */
const chooseRole = (service: string): string => (ROLES.some(({ name }) => name === service) ? service : 'developer');

/** The stack's own keys replace credentials in the environment, because a connection has one identity. */
function omitOwn(reads: readonly string[], { nats, redis, qdrant }: BackingServers): string[] {
  const own = [
    ...(nats.isOurs ? CONNECTION_VARIABLES : []),
    ...(redis.keys === undefined ? [] : REDIS),
    ...(qdrant.keys === undefined ? [] : QDRANT),
  ];
  return reads.filter((name) => !own.some((variable) => variable === name));
}

export const resolveMain = (checkout: string, service: string): string =>
  join(checkout, 'services', service, 'src/main.ts');

function buildStoreEnvironment(
  store: Store,
  service: string,
  servers: BackingServers,
  state: StateDir,
): StackEnvironment {
  const { url } = servers[store];
  if (url === undefined) return { SQLITE_PATH: state.database(service) };
  const { keys } = servers[store];
  if (store === 'qdrant') return { QDRANT_URL: url, ...(keys && { QDRANT_API_KEY_FILE: locateQdrantKeyFile(keys) }) };
  const user = keys && { REDIS_USERNAME: service, REDIS_PASSWORD_FILE: locateRedisPasswordFile(keys, service) };
  return { REDIS_URL: url, ...user };
}
