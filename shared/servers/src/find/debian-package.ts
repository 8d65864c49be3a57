// The last way to a server: Debian's package, unpacked into the cache. Nothing is installed, and neither root nor a filled
// package list is needed. The newest suite's package runs on older releases as long as libc allows; asking it for its version
// shows whether it does.
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createAptRoot, type AptRoot } from './apt-root.ts';
import {
  findBaseSource,
  selectDebianSources,
  parseDeb822File,
  parseListFile,
  type AptSource,
} from './debian-sources.ts';
import type { FindContext } from './find-context.ts';
import { createUnavailable, type Program, type Unavailable } from './search-result.ts';
import type { ServerHost } from '../process/host.ts';
import { probeProgram, type Candidate } from './probe-program.ts';
import type { DebianPackage, Product } from './product.ts';
import { fillCache, type Filling } from './program-cache.ts';
import { runCommand } from '../process/run-command.ts';
import { searchPath } from './search-path.ts';

const UNPACK_TIMEOUT_MS = 60_000;
const TOOLS = ['apt-get', 'apt-config', 'dpkg-deb'];

export async function findDebianPackage(product: Product, context: FindContext): Promise<Program | Unavailable> {
  const { host, cacheDir, log, signal } = context;
  const wanted = product.debian;
  if (typeof wanted === 'string') return createUnavailable(wanted);
  const release = await readDebianRelease(host);
  if (release === undefined) return createUnavailable('this is not a Debian machine');
  for (const tool of TOOLS) {
    if ((await searchPath(tool, host)).length === 0) return createUnavailable(`Debian's ${tool} is not on the PATH`);
  }
  const sources = chooseSources(wanted, await readSources(host));
  if (sources.length === 0) return createUnavailable(`no Debian archive is named in ${host.aptDir}`);

  const source = `Debian ${wanted.suite === 'own' ? release.codename : wanted.suite}`;
  log(`fetching ${product.program} from ${source}, once`);
  const probe = (candidate: Candidate) => probeProgram(product, candidate, host, signal);
  const fill = async (stagingDir: string): Promise<Filling | Unavailable> => {
    const aptDir = join(stagingDir, 'apt');
    const apt = await createAptRoot(aptDir, sources, host, signal);
    const failure = await unpackPackages(wanted, apt, stagingDir, context);
    if (failure !== undefined) return createUnavailable(`${source}: ${failure}`);
    await rm(aptDir, { recursive: true });
    const path = join(stagingDir, dirname(wanted.path), product.program);
    if (basename(wanted.path) !== product.program) await symlink(basename(wanted.path), path);
    const libraryDirs = wanted.withDependencies ? await findLibraryDirs(stagingDir) : [];
    const program = await probe({ path, source, libraryDirs });
    if (program.kind === 'unavailable')
      return createUnavailable(`the package of ${source} does not do: ${program.reason}`);
    return {
      kind: 'filled',
      name: `${program.version}-debian-${host.arch}`,
      manifest: {
        program: relative(stagingDir, path),
        source,
        libraryDirs: libraryDirs.map((directory) => relative(stagingDir, directory)),
        platform: host.platform,
        arch: host.arch,
      },
    };
  };
  const canRun = async (cached: Candidate) => (await probe(cached)).kind === 'program';
  const filled = await fillCache(product, cacheDir, fill, canRun);
  return filled.kind === 'unavailable' ? filled : probe(filled);
}

function chooseSources(wanted: DebianPackage, sources: readonly AptSource[]): readonly AptSource[] {
  if (wanted.suite === 'own') return selectDebianSources(sources);
  const base = findBaseSource(sources);
  return base === undefined ? [] : [{ ...base, suites: [wanted.suite] }];
}

async function unpackPackages(
  wanted: DebianPackage,
  apt: AptRoot,
  into: string,
  { host, signal }: FindContext,
): Promise<string | undefined> {
  const updated = await apt.update();
  if (!updated.ok) return `apt-get update failed (${updated.failure})`;
  const missing = wanted.withDependencies ? await apt.findMissing(wanted.packages) : [];
  const packages = [...new Set([...wanted.packages, ...missing])];
  const archives = join(into, 'archives');
  await mkdir(archives);
  const downloaded = await apt.download(packages, archives);
  if (!downloaded.ok) return `apt-get download ${packages.join(' ')} failed (${downloaded.failure})`;
  for (const name of await readdir(archives)) {
    const unpacked = await runCommand('dpkg-deb', ['-x', join(archives, name), into], {
      env: { PATH: host.env['PATH'] },
      timeoutMs: UNPACK_TIMEOUT_MS,
      signal,
    });
    if (!unpacked.ok) return `${name} cannot be unpacked (${unpacked.failure})`;
  }
  await rm(archives, { recursive: true });
  return undefined;
}

async function findLibraryDirs(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return [...new Set(entries.filter((entry) => /\.so(\.|$)/.test(entry.name)).map((entry) => entry.parentPath))];
}

// os-release(5). Testing and sid name no version, and until late in a cycle no codename.
async function readDebianRelease(host: ServerHost): Promise<{ readonly codename: string } | undefined> {
  if (host.platform !== 'linux') return undefined;
  const text = await readFile(host.osReleaseFile, 'utf8').catch(() => '');
  if (!/^ID="?debian"?$/m.test(text)) return undefined;
  return { codename: /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(text)?.[1] ?? 'package' };
}

async function readSources(host: ServerHost): Promise<AptSource[]> {
  const partsDir = join(host.aptDir, 'sources.list.d');
  const parts = (await readdir(partsDir).catch(() => [])).map((name) => join(partsDir, name));
  const sources: AptSource[] = [];
  for (const path of [join(host.aptDir, 'sources.list'), ...parts]) {
    const parse = path.endsWith('.sources') ? parseDeb822File : path.endsWith('.list') ? parseListFile : undefined;
    if (parse !== undefined) sources.push(...parse(await readFile(path, 'utf8').catch(() => '')));
  }
  return sources;
}
