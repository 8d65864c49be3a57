// The services of the local stack and what each is told through its environment. Where Redis or Qdrant cannot be had, a service
// gets the path of an embedded store instead; never both.
import { join } from 'node:path';
import type { BackingServers, Environment } from './backing-servers.ts';
import type { ServiceSpec } from './service-process.ts';
import type { StateDir } from './state-dir.ts';

type Store = 'redis' | 'qdrant';

/** In the order in which they are listed to people. dev-model is not among them: it stands in for a model provider. */
const services: readonly { readonly name: string; readonly store?: Store }[] = [
  { name: 'orchestrator' },
  { name: 'guardrails' },
  { name: 'message-history', store: 'redis' },
  { name: 'semantic-recall', store: 'qdrant' },
  { name: 'working-memory', store: 'redis' },
  { name: 'tools' },
];

/** So that a stop of the whole stack takes seconds: a run that goes on longer is handed over like any other. */
const DRAIN_GRACE_MS = 5_000;

export type SpecOptions = {
  checkout: string;
  state: StateDir;
  /** The caller's own environment; what is set here wins. */
  env: Environment;
  servers: BackingServers;
  /** OPENAI_API_KEY and OPENAI_BASE_URL where the stand-in answers. */
  model: Environment;
};

export function serviceSpecs({ checkout, state, env, servers, model }: SpecOptions): ServiceSpec[] {
  const common: Environment = {
    ...env,
    ...model,
    NATS_URL: servers.nats.url,
    DRAIN_GRACE_MS: String(DRAIN_GRACE_MS),
    NODE_COMPILE_CACHE: state.compileCache,
    // Several processes of one machine cannot share a port, nor services their choice of processors.
    HEALTH_PORT: undefined,
    PROCESSORS: undefined,
    REDIS_URL: undefined,
    QDRANT_URL: undefined,
    SQLITE_PATH: undefined,
  };
  return services.map(({ name, store }) => ({
    name,
    main: mainOf(checkout, name),
    env: { ...common, ...(store && storeOf(store, name, servers, state)) },
  }));
}

export const mainOf = (checkout: string, service: string): string => join(checkout, 'services', service, 'src/main.ts');

function storeOf(store: Store, service: string, servers: BackingServers, state: StateDir): Environment {
  const { url } = servers[store];
  if (url === undefined) return { SQLITE_PATH: state.database(service) };
  return store === 'redis' ? { REDIS_URL: url } : { QDRANT_URL: url };
}
