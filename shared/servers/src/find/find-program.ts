// Finds a server, in order: an address in the environment, a recent program on the PATH, a cached one, the official
// release, Debian's package. Returns the first that runs; otherwise all reasons together.
import { findDebianPackage } from './debian-package.ts';
import type { FindContext, LogLineSink } from './find-context.ts';
import { createUnavailable, type External, type FoundServer, type Program, type Unavailable } from './search-result.ts';
import { describeCurrentHost, chooseCacheDir, type Environment } from '../process/host.ts';
import { probeProgram, type Candidate } from './probe-program.ts';
import { natsProduct, qdrantProduct, redisProduct, type Product } from './product.ts';
import { listCached } from './program-cache.ts';
import { DEFAULT_RELEASES_URL, findRelease } from './release-archive.ts';
import { searchPath } from './search-path.ts';

const DEFAULT_CONNECT_TIMEOUT_MS = 3_000;
const DEFAULT_STALL_TIMEOUT_MS = 15_000;

export type FindOptions = {
  /** Replaces the process's environment: PATH, HOME, XDG_CACHE_HOME, NATS_URL, REDIS_URL, QDRANT_URL. */
  env?: Environment;
  /** Directory of fetched programs; see chooseCacheDir(). */
  cacheDir?: string;
  /** Takes lines of progress, such as that something is being fetched. */
  log?: LogLineSink;
  /** Base address of releases, in the layout of https://github.com (the default). */
  releasesUrl?: string;
  /** How long the server of releases may take to answer before the next way is tried; 3 s by default. */
  connectTimeoutMs?: number;
  signal?: AbortSignal;
};

type FindStep = (product: Product, context: FindContext) => Promise<Program | Unavailable | undefined>;

const steps: readonly FindStep[] = [findOnPath, findInCache, findRelease, findDebianPackage];

/** The NATS server to use: the one named by NATS_URL, or a program to start. */
export function findNats(options: FindOptions = {}): Promise<FoundServer> {
  return find(natsProduct, options);
}

/** The Redis server to use: the one named by REDIS_URL, or a program to start. */
export function findRedis(options: FindOptions = {}): Promise<FoundServer> {
  return find(redisProduct, options);
}

/** The Qdrant server to use: the one named by QDRANT_URL, or a program to start. */
export function findQdrant(options: FindOptions = {}): Promise<FoundServer> {
  return find(qdrantProduct, options);
}

export async function find(product: Product, options: FindOptions): Promise<FoundServer> {
  return findExternalServer(product, options.env) ?? (await findProgram(product, createContext(options)));
}

function findExternalServer(product: Product, env: Environment = describeCurrentHost().env): External | undefined {
  const url = env[product.addressVariable];
  return url ? { kind: 'external', url, source: product.addressVariable } : undefined;
}

/** The fold over the steps, without the address in the environment. */
export async function findProgram(product: Product, context: FindContext): Promise<Program | Unavailable> {
  const reasons: string[] = [];
  for (const step of steps) {
    const result = await step(product, context);
    if (result?.kind === 'program') return result;
    if (result !== undefined) reasons.push(result.reason);
  }
  return createUnavailable(`${product.program} cannot be had: ${reasons.join('; ')}.`);
}

export function createContext(options: FindOptions): FindContext {
  const host = describeCurrentHost(options.env);
  return {
    host,
    cacheDir: options.cacheDir ?? chooseCacheDir(host.env),
    releasesUrl: (options.releasesUrl ?? DEFAULT_RELEASES_URL).replace(/\/+$/, ''),
    log: options.log ?? (() => {}),
    connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    stallTimeoutMs: DEFAULT_STALL_TIMEOUT_MS,
    signal: options.signal,
  };
}

async function findOnPath(product: Product, context: FindContext): Promise<Program | Unavailable> {
  const paths = await searchPath(product.program, context.host);
  const candidates = paths.map((path) => ({ path, source: 'PATH', libraryDirs: [] }));
  return (await findFirstRunnable(product, candidates, context)) ?? createUnavailable('there is none on the PATH');
}

// Silent when the cache is empty: that is no way that failed.
async function findInCache(product: Product, context: FindContext): Promise<Program | Unavailable | undefined> {
  return findFirstRunnable(product, await listCached(product, context.cacheDir, context.host), context);
}

async function findFirstRunnable(
  product: Product,
  candidates: readonly Candidate[],
  context: FindContext,
): Promise<Program | Unavailable | undefined> {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    const result = await probeProgram(product, candidate, context.host, context.signal);
    if (result.kind === 'program') return result;
    reasons.push(result.reason);
  }
  return reasons.length === 0 ? undefined : createUnavailable(reasons.join('; '));
}
