// Caches fetched programs, one directory each: <cacheDir>/<program>/<name>/ with a manifest. A directory is filled
// under another name and renamed when complete, so a directory with its final name is complete, also with concurrent
// fetches or a killed process.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unavailable } from './search-result.ts';
import type { ServerHost } from '../process/host.ts';
import type { Product } from './product.ts';
import { compareVersions, parseVersion } from './version.ts';

const MANIFEST_FILE = 'manifest.json';
const STAGING_PREFIX = '.staging-';
/** A staging directory this old belongs to a process that was killed. */
const STALE_STAGING_MS = 60 * 60 * 1000;

/** Paths are relative to the directory, so that a cache may be moved. */
type Manifest = {
  program: string;
  source: string;
  libraryDirs: readonly string[];
  platform: string;
  arch: string;
};

/** Content of a staging directory, and its final name, which starts with the version. */
export type Filling = {
  kind: 'filled';
  name: string;
  manifest: Manifest;
};

export type CachedProgram = {
  kind: 'cached';
  path: string;
  source: string;
  libraryDirs: readonly string[];
};

/** The complete directories made for this platform, the newest version first. */
export async function listCached(product: Product, cacheDir: string, host: ServerHost): Promise<CachedProgram[]> {
  const productDir = join(cacheDir, product.program);
  const names = await readdir(productDir).catch(() => []);
  const found: CachedProgram[] = [];
  for (const name of names.toSorted(compareNewestFirst)) {
    const directory = join(productDir, name);
    const manifest = name.startsWith('.') ? undefined : await readManifest(directory);
    if (manifest?.platform === host.platform && manifest.arch === host.arch) found.push(resolveIn(directory, manifest));
  }
  return found;
}

/**
 * Passes an empty directory to `fill`, and keeps it under the name that `fill` returns. If another process was first,
 * its directory is kept and ours is removed, unless `canRun` returns false for it (a full disk, a lost file). If `fill`
 * returns a reason or throws, nothing is kept.
 */
export async function fillCache(
  product: Product,
  cacheDir: string,
  fill: (stagingDir: string) => Promise<Filling | Unavailable>,
  canRun: (cached: CachedProgram) => Promise<boolean>,
): Promise<CachedProgram | Unavailable> {
  const productDir = join(cacheDir, product.program);
  await mkdir(productDir, { recursive: true });
  await removeStaleStaging(productDir);
  const stagingDir = await mkdtemp(join(productDir, STAGING_PREFIX));
  try {
    const filled = await fill(stagingDir);
    if (filled.kind === 'unavailable') return filled;
    await writeFile(join(stagingDir, MANIFEST_FILE), JSON.stringify(filled.manifest, undefined, 2));
    const directory = join(productDir, filled.name);
    if (!(await renameUnlessThere(stagingDir, directory))) {
      const manifest = await readManifest(directory);
      const existing = manifest === undefined ? undefined : resolveIn(directory, manifest);
      if (existing !== undefined && (await canRun(existing))) return existing;
      await rename(directory, join(stagingDir, 'replaced'));
      await rename(stagingDir, directory);
      await rm(join(directory, 'replaced'), { recursive: true });
    }
    return resolveIn(directory, filled.manifest);
  } finally {
    await rm(stagingDir, { recursive: true, force: true });
  }
}

// Names begin with the version.
function compareNewestFirst(a: string, b: string): number {
  const [versionA, versionB] = [parseVersion(a), parseVersion(b)];
  if (versionA === undefined || versionB === undefined)
    return Number(versionA === undefined) - Number(versionB === undefined);
  return compareVersions(versionB, versionA);
}

async function renameUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const thereAlready =
      error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
    if (!thereAlready) throw error;
    return false;
  }
}

async function removeStaleStaging(productDir: string): Promise<void> {
  for (const name of await readdir(productDir)) {
    if (!name.startsWith(STAGING_PREFIX)) continue;
    const directory = join(productDir, name);
    const modifiedMs = await stat(directory).then(
      (stats) => stats.mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - modifiedMs > STALE_STAGING_MS) await rm(directory, { recursive: true, force: true });
  }
}

function resolveIn(directory: string, manifest: Manifest): CachedProgram {
  return {
    kind: 'cached',
    path: join(directory, manifest.program),
    source: manifest.source,
    libraryDirs: manifest.libraryDirs.map((libraryDir) => join(directory, libraryDir)),
  };
}

async function readManifest(directory: string): Promise<Manifest | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, MANIFEST_FILE), 'utf8'));
    return isManifest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false;
  if (!('libraryDirs' in value) || !Array.isArray(value.libraryDirs)) return false;
  if (!value.libraryDirs.every((directory) => typeof directory === 'string')) return false;
  return ['program', 'source', 'platform', 'arch'].every((key) => typeof Reflect.get(value, key) === 'string');
}
