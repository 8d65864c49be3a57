// Fetches the official release, compares it with the checksum pinned in product.ts, and unpacks it into the cache.
// Unverified archives are never unpacked.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { downloadFile } from './download.ts';
import type { FindContext } from './find-context.ts';
import { createUnavailable, type Program, type Unavailable } from './search-result.ts';
import { probeProgram, type Candidate } from './probe-program.ts';
import type { Product } from './product.ts';
import { fillCache, type Filling } from './program-cache.ts';
import { runCommand } from '../process/run-command.ts';

export const DEFAULT_RELEASES_URL = 'https://github.com';
const UNPACK_TIMEOUT_MS = 120_000;

export async function findRelease(product: Product, context: FindContext): Promise<Program | Unavailable> {
  const { host, cacheDir, log, signal } = context;
  const release = product.release;
  if (typeof release === 'string') return createUnavailable(release);
  const asset = release.assets[`${host.platform}-${host.arch}`];
  if (asset === undefined) return createUnavailable(`no release is pinned for ${host.platform} on ${host.arch}`);

  const onAnswer = () => log(`fetching ${product.program} ${release.version} (official release), once`);
  const probe = (candidate: Candidate) => probeProgram(product, candidate, host, signal);
  const fill = async (stagingDir: string): Promise<Filling | Unavailable> => {
    const archive = join(stagingDir, asset.name);
    const url = `${context.releasesUrl}/${release.repository}/releases/download/v${release.version}/${asset.name}`;
    const downloaded = await downloadFile(url, archive, { ...context, onAnswer });
    if (!downloaded.ok) return createUnavailable(downloaded.failure);
    if (downloaded.value !== asset.sha256) {
      return createUnavailable(
        `${url} does not match the pinned checksum (its SHA-256 is ${downloaded.value}, not ${asset.sha256})`,
      );
    }
    const unpackedDir = join(stagingDir, 'release');
    await mkdir(unpackedDir);
    // Windows' own tar reads zip archives too.
    const unpacked = await runCommand('tar', ['-xf', archive, '-C', unpackedDir], {
      env: { PATH: host.env['PATH'] },
      timeoutMs: UNPACK_TIMEOUT_MS,
      signal,
    });
    if (!unpacked.ok) return createUnavailable(`${asset.name} cannot be unpacked (${unpacked.failure})`);
    await rm(archive);
    const path = await findFile(unpackedDir, host.platform === 'win32' ? `${product.program}.exe` : product.program);
    if (path === undefined) return createUnavailable(`${asset.name} holds no ${product.program}`);
    const source = `release v${release.version}`;
    const program = await probe({ path, source, libraryDirs: [] });
    if (program.kind === 'unavailable') return createUnavailable(`the release does not do: ${program.reason}`);
    return {
      kind: 'filled',
      name: `${program.version}-release-${host.arch}`,
      manifest: {
        program: relative(stagingDir, path),
        source,
        libraryDirs: [],
        platform: host.platform,
        arch: host.arch,
      },
    };
  };
  const canRun = async (cached: Candidate) => (await probe(cached)).kind === 'program';
  const filled = await fillCache(product, cacheDir, fill, canRun);
  return filled.kind === 'unavailable' ? filled : probe(filled);
}

async function findFile(directory: string, name: string): Promise<string | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const entry = entries.find((candidate) => candidate.isFile() && candidate.name === name);
  return entry === undefined ? undefined : join(entry.parentPath, entry.name);
}
