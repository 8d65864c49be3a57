// Starts the backing servers of the services: NATS, Redis, Qdrant, each from the environment's address or started here,
// concurrently. NATS is required; without Redis or Qdrant the services use their embedded SQLite stores, and the reason
// is printed.
import {
  isPortTaken,
  provideNats,
  provideQdrant,
  provideRedis,
  ServerError,
  type External,
  type NatsServer,
  type RunningServer,
  type Unavailable,
} from '@millrace/servers';
import { readFile } from 'node:fs/promises';
import { createSubjects, hideAddressParts, readPrefix } from '@millrace/contracts';
import { openKeyFolder, locateQdrantKeyFile, type KeyFolder } from '@millrace/identity';
import type { Resources } from '@millrace/service';
import { describeExternalUsers, findExternalUsers } from './external-users.ts';
import { keepServer } from './keep-server.ts';
import { readKeptPorts, writeKeptPorts } from './kept-ports.ts';
import type { StateDir } from './state-dir.ts';

export type StackEnvironment = Readonly<Record<string, string | undefined>>;

/** `url` is absent without a server; `about` is its source, or the reason. */
export type BackingServer = { url?: string; about: string; isOurs: boolean };
export type BackingServers = {
  nats: BackingServer & { url: string; monitorUrl?: string; webSocketUrl?: string; keys?: string };
  /** `keys`: the folder with the passwords of its users. */
  redis: BackingServer & { keys?: string };
  /** `keys`: the folder with its API key. */
  qdrant: BackingServer & { keys?: string };
};

export type BackingOptions = {
  state: StateDir;
  env: StackEnvironment;
  /** Called when a server dies and when one is fetched. */
  report: (line: string) => void;
  resources: Resources;
  signal: AbortSignal;
};

/** @throws ServerError when there is no NATS, or a server does not start */
export async function startBackingServers(options: BackingOptions): Promise<BackingServers> {
  const { state, env } = options;
  const folder = await openKeyFolder(state.keys, createSubjects(readPrefix(env)));
  const [natsUsers, redisUsers, qdrantKey] = await Promise.all([
    readText(folder.usersFile),
    readText(folder.redis.usersFile),
    readText(locateQdrantKeyFile(state.keys)),
  ]);
  // No await inside of the list: until `allSettled` has all three, a rejection is unhandled and ends the process.
  const started = await Promise.allSettled([
    startNats(options, natsUsers),
    startRedis(options, redisUsers),
    startQdrant(options, qdrantKey.trim()),
  ]);
  // Only now, so that every server that did start is among the resources and is stopped.
  const [nats, redis, qdrant] = [unwrapSettled(started[0]), unwrapSettled(started[1]), unwrapSettled(started[2])];
  if (nats.kind === 'unavailable') throw new ServerError('server-unavailable', nats.reason);
  return {
    nats: nats.kind === 'running' ? describeOwnNats(nats, options) : await describeExternalNats(nats, folder, options),
    redis: { ...toBackingServer(redis), ...(redis.kind === 'running' && { keys: state.keys }) },
    qdrant: { ...toBackingServer(qdrant), ...(qdrant.kind === 'running' && { keys: state.keys }) },
  };
}

const pickCommonOptions = ({ env, report, signal }: BackingOptions) => ({ env, log: report, signal });

function describeOwnNats(nats: NatsServer, { state }: BackingOptions): BackingServers['nats'] {
  const { url, monitorUrl, webSocketUrl } = nats;
  const addresses = { url, monitorUrl, ...(webSocketUrl !== undefined && { webSocketUrl }) };
  return { ...toBackingServer(nats), ...addresses, keys: state.keys };
}

/** Reports the line that the server has to include, unless it has the users of the folder. */
async function describeExternalNats(
  nats: External,
  { usersFile }: KeyFolder,
  { state, env, report }: BackingOptions,
): Promise<BackingServers['nats']> {
  const users = await findExternalUsers(nats.url, state.keys, env);
  describeExternalUsers(users, nats.url, usersFile).forEach(report);
  const { about, isOurs } = toBackingServer(nats);
  const isKnown = users === 'known';
  return {
    url: nats.url,
    about: isKnown ? `${about}, with the keys of this stack` : about,
    isOurs,
    ...(isKnown && { keys: state.keys }),
  };
}

const listNatsPorts = ({ url, monitorUrl, webSocketUrl = '' }: NatsServer) => ({
  port: parsePort(url),
  monitorPort: parsePort(monitorUrl),
  webSocketPort: parsePort(webSocketUrl),
});

const readText = (file: string): Promise<string> => readFile(file, 'utf8');

/** @param extraConfig the users, as in the configuration of the server */
async function startNats(options: BackingOptions, extraConfig: string): Promise<NatsServer | External | Unavailable> {
  const { state } = options;
  const own = {
    ...pickCommonOptions(options),
    storeDir: state.nats,
    logFile: state.log('nats'),
    isSynced: true,
    webSocketPort: 0,
    extraConfig,
  };
  const found = await provideNats({ ...own, ...(await readKeptPorts(state.natsPorts)) }).catch((error: unknown) => {
    // Another process has taken a kept port since it was read.
    if (isPortTaken(error)) return provideNats(own);
    throw error;
  });
  const kept = keep(options, 'nats', found, (server) => provideNats({ ...own, ...listNatsPorts(server) }));
  if (found.kind === 'running')
    await writeKeptPorts(state.natsPorts, listNatsPorts(found)).catch((error: unknown) =>
      options.report(`the next start of nats takes other ports: ${String(error)}`),
    );
  return kept;
}

async function startRedis(
  options: BackingOptions,
  extraConfig: string,
): Promise<RunningServer | External | Unavailable> {
  const { state } = options;
  const own = { ...pickCommonOptions(options), dataDir: state.redis, logFile: state.log('redis'), extraConfig };
  return keep(options, 'redis', await provideRedis(own), ({ url }) => provideRedis({ ...own, port: parsePort(url) }));
}

async function startQdrant(options: BackingOptions, apiKey: string): Promise<RunningServer | External | Unavailable> {
  const { state } = options;
  const own = { ...pickCommonOptions(options), storageDir: state.qdrant, logFile: state.log('qdrant'), apiKey };
  return keep(options, 'qdrant', await provideQdrant(own), ({ url }) =>
    provideQdrant({ ...own, port: parsePort(url) }),
  );
}

function keep<S extends RunningServer>(
  { resources, report }: BackingOptions,
  name: string,
  found: S | External | Unavailable,
  startAgain: (before: S) => Promise<S | External | Unavailable>,
): S | External | Unavailable {
  if (found.kind !== 'running') return found;
  const restart = async (before: S): Promise<S> => {
    const next = await startAgain(before);
    if (next.kind === 'running') return next;
    throw new Error(
      next.kind === 'unavailable' ? next.reason : `the environment names ${hideAddressParts(next.url)} now`,
    );
  };
  const kept = keepServer({ name, server: found, restart, report });
  resources.add(name, () => kept.stop());
  return found;
}

function toBackingServer(found: RunningServer | External | Unavailable): BackingServer {
  if (found.kind === 'unavailable') return { about: found.reason, isOurs: false };
  if (found.kind === 'external') return { url: found.url, about: `from ${found.source}`, isOurs: false };
  return { url: found.url, about: `${found.version}, ${found.source}`, isOurs: true };
}

function unwrapSettled<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

const parsePort = (url: string): number => Number(new URL(url).port);
