// Provides the Redis and the Qdrant of a test run, which all its files share: containers if an engine is available, otherwise programs of
// this machine. A line on stderr states the source of each server, and the reason if it is not a container.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideQdrant, startRedis, type External, type RunningServer, type Unavailable } from '@millrace/servers';
import { openContainers, type RunServer } from './containers.ts';
import type { RunServers, ServerAddress } from './provided-servers.ts';
import { USERS_CONFIG } from './redis-users.ts';

type ProvidedServer = RunServer | { unavailable: string };
type Env = Record<string, string | undefined>;

/** Each file takes a database of its own. */
const REDIS_CONFIG = `databases 4096\n${USERS_CONFIG}`;

/** @param env names images by REDIS_IMAGE and QDRANT_IMAGE, and a server that runs already by QDRANT_URL and QDRANT_API_KEY */
export async function provideServers(env: Env): Promise<{ servers: RunServers; stop: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-servers-'));
  const containers = openContainers(env, REDIS_CONFIG);
  const startContainer = (variable: 'REDIS_IMAGE' | 'QDRANT_IMAGE') =>
    containers.then((engine) => engine.start(variable));
  const { QDRANT_URL: url, QDRANT_API_KEY: apiKey } = env;
  const qdrantInstead = async () => ({
    ...describeServer(await provideQdrant({ storageDir: join(dir, 'qdrant'), env })),
    ...(url !== undefined && apiKey !== undefined && { apiKey }),
  });
  const [redis, qdrant] = await Promise.all([
    announce('Redis', 'REDIS_IMAGE names its image', startContainer('REDIS_IMAGE'), async () =>
      describeServer(await startRedis({ dataDir: join(dir, 'redis'), extraConfig: REDIS_CONFIG })),
    ),
    announce(
      'Qdrant',
      'QDRANT_URL names a server, and QDRANT_IMAGE the image',
      url ? qdrantInstead() : startContainer('QDRANT_IMAGE'),
      qdrantInstead,
    ),
  ]);
  return {
    servers: { redis: selectAddress(redis), qdrant: selectAddress(qdrant) },
    async stop() {
      await Promise.all([redis, qdrant].map(async (server) => 'stop' in server && server.stop()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Prints the line of a server. */
async function announce(
  name: string,
  variables: string,
  first: Promise<ProvidedServer>,
  openInstead: () => Promise<ProvidedServer>,
): Promise<ProvidedServer> {
  let reason = '';
  const server = await first.catch((error: unknown) => {
    reason = `, without a container: ${error instanceof Error ? error.message : String(error)} (${variables})`;
    return openInstead();
  });
  const source = 'url' in server ? server.source : `none, its tests are skipped: ${server.unavailable}`;
  process.stderr.write(`${name} of this run: ${source}${reason}\n`);
  return server;
}

function describeServer(found: External | RunningServer | Unavailable): ProvidedServer {
  if (found.kind === 'unavailable') return { unavailable: found.reason };
  if (found.kind === 'external')
    return { url: found.url, source: `the server of ${found.source}`, stop: async () => undefined };
  const { url, version, source, stop } = found;
  return { url, source: `a program of version ${version} (${source})`, stop };
}

function selectAddress(server: ProvidedServer): ServerAddress {
  if ('unavailable' in server) return server;
  const { url, apiKey } = server;
  return { url, ...(apiKey !== undefined && { apiKey }) };
}
