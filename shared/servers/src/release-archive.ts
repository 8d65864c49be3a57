// The official release: fetched, compared with the checksum that its publisher states, unpacked into the cache. What cannot be
// verified is never run.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { downloadFile, downloadText, type DownloadResult } from './download.ts';
import type { FindContext } from './find-context.ts';
import { unavailable, type Program, type Unavailable } from './found.ts';
import { probeProgram, type Candidate } from './probe-program.ts';
import type { Product, Release } from './product.ts';
import { fillCache, type Filling } from './program-cache.ts';
import { runCommand } from './run-command.ts';

export const DEFAULT_RELEASES_URL = 'https://github.com';
const UNPACK_TIMEOUT_MS = 120_000;

export async function findRelease(product: Product, context: FindContext): Promise<Program | Unavailable> {
  const { host, cacheDir, log, signal } = context;
  const release = product.release;
  if (typeof release === 'string') return unavailable(release);
  const asset = release.asset(host, release.version);
  if (asset === undefined) return unavailable(`there is no release for ${host.platform} on ${host.arch}`);

  // Asked first: it is small, and shows whether there is a way to the releases at all.
  const checksum = await publishedChecksum(release, asset, context);
  if (!checksum.ok) return unavailable(checksum.failure);

  log(`fetching ${product.program} ${release.version} (official release), once`);
  const probe = (candidate: Candidate) => probeProgram(product, candidate, host, signal);
  const fill = async (stagingDir: string): Promise<Filling | Unavailable> => {
    const archive = join(stagingDir, asset);
    const url = `${context.releasesUrl}/${release.repository}/releases/download/v${release.version}/${asset}`;
    const downloaded = await downloadFile(url, archive, context);
    if (!downloaded.ok) return unavailable(downloaded.failure);
    if (downloaded.value !== checksum.value) {
      return unavailable(`${url} does not match its published checksum (SHA-256 ${downloaded.value})`);
    }
    const unpackedDir = join(stagingDir, 'release');
    await mkdir(unpackedDir);
    // Windows' own tar reads zip archives too.
    const unpacked = await runCommand('tar', ['-xf', archive, '-C', unpackedDir], {
      env: { PATH: host.env['PATH'] },
      timeoutMs: UNPACK_TIMEOUT_MS,
      signal,
    });
    if (!unpacked.ok) return unavailable(`${asset} cannot be unpacked (${unpacked.failure})`);
    await rm(archive);
    const path = await findFile(unpackedDir, host.platform === 'win32' ? `${product.program}.exe` : product.program);
    if (path === undefined) return unavailable(`${asset} holds no ${product.program}`);
    const source = `release v${release.version}`;
    const program = await probe({ path, source, libraryDirs: [] });
    if (program.kind === 'unavailable') return unavailable(`the release does not do: ${program.reason}`);
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
  const runs = async (cached: Candidate) => (await probe(cached)).kind === 'program';
  const filled = await fillCache(product, cacheDir, fill, runs);
  return filled.kind === 'unavailable' ? filled : probe(filled);
}

/** The SHA-256 of the asset as its publisher states it, in lower-case hexadecimal. */
async function publishedChecksum(
  release: Release,
  asset: string,
  context: FindContext,
): Promise<DownloadResult<string>> {
  const url =
    release.checksums.kind === 'file'
      ? `${context.releasesUrl}/${release.repository}/releases/download/v${release.version}/${release.checksums.name}`
      : `${apiUrl(context.releasesUrl)}/repos/${release.repository}/releases/tags/v${release.version}`;
  const text = await downloadText(url, context);
  if (!text.ok) return text;
  const checksum =
    release.checksums.kind === 'file' ? checksumInFile(text.value, asset) : digestInRelease(text.value, asset);
  return checksum === undefined
    ? { ok: false, failure: `${url} states no SHA-256 of ${asset}` }
    : { ok: true, value: checksum };
}

/** GitHub's API is a host of its own, that of a GitHub Enterprise server is below /api/v3. */
function apiUrl(releasesUrl: string): string {
  return releasesUrl === DEFAULT_RELEASES_URL ? 'https://api.github.com' : `${releasesUrl}/api/v3`;
}

/** Reads the output of sha256sum: `<hex>  <name>`, or `<hex> *<name>`. */
export function checksumInFile(text: string, asset: string): string | undefined {
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{64}) [ *](.+?)\r?$/i.exec(line);
    if (match?.[2] === asset) return match[1]?.toLowerCase();
  }
  return undefined;
}

/** Reads GitHub's answer to "get a release by tag name": each asset has `digest: "sha256:<hex>"`. */
export function digestInRelease(text: string, asset: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const assets: unknown = typeof value === 'object' && value !== null && 'assets' in value ? value.assets : undefined;
  if (!Array.isArray(assets)) return undefined;
  for (const entry of assets as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || !('digest' in entry)) continue;
    if (entry.name !== asset || typeof entry.digest !== 'string') continue;
    return /^sha256:([0-9a-f]{64})$/i.exec(entry.digest)?.[1]?.toLowerCase();
  }
  return undefined;
}

async function findFile(directory: string, name: string): Promise<string | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const entry = entries.find((candidate) => candidate.isFile() && candidate.name === name);
  return entry === undefined ? undefined : join(entry.parentPath, entry.name);
}
