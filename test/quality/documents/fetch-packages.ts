// Downloads the packages of packages.txt with the registries' clients (npm, pip, apt-get), compares the SHA-256 of each
// archive, and unpacks it into the cache. No script of a package runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE, getPackageFolder, type PinnedPackage } from './package-list.ts';

const run = promisify(execFile);
/** Number of packages of one command. */
const AT_ONCE = 40;

type RegistryClient = {
  /** Downloads the archives of some packages into a folder. */
  download(packages: readonly PinnedPackage[], folder: string): Promise<unknown>;
  unpack(archive: string, folder: string): Promise<unknown>;
};

const CLIENTS: Record<PinnedPackage['registry'], RegistryClient> = {
  npm: {
    download: (packages, folder) =>
      run('npm', ['pack', '--silent', '--ignore-scripts', ...packages.map(toNpmSpec)], { cwd: folder }),
    unpack: (archive, folder) =>
      run('tar', ['-xzf', archive, '-C', folder, '--no-same-permissions', '--no-same-owner']),
  },
  pypi: {
    async download(packages, folder) {
      const pins = packages.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}`);
      const file = join(folder, 'requirements.txt');
      await writeFile(file, pins.join('\n'));
      const wheelsOnly = ['--no-deps', '--only-binary=:all:', '--require-hashes'];
      return run('pip', ['download', '-q', ...wheelsOnly, '-d', folder, '-r', file]);
    },
    unpack: (archive, folder) => run('python3', ['-m', 'zipfile', '-e', archive, folder]),
  },
  debian: {
    download: (packages, folder) =>
      run('apt-get', ['download', '-q=3', ...packages.map(({ name, version }) => `${name}=${version}`)], {
        cwd: folder,
      }),
    unpack: (archive, folder) => run('dpkg-deb', ['-x', archive, folder]),
  },
};

const toNpmSpec = ({ name, version }: PinnedPackage): string => `${name}@${version}`;

/** Downloads the packages that the cache lacks, except those that their registry no longer serves with this hash. */
export async function fetchPackages(packages: readonly PinnedPackage[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const missing = packages.filter((one) => !existsSync(getPackageFolder(one)));
  for (const some of Object.values(Object.groupBy(missing, ({ registry }) => registry))) {
    for (let at = 0; at < some.length; at += AT_ONCE) await fetchSome(some.slice(at, at + AT_ONCE));
  }
}

async function fetchSome(packages: readonly PinnedPackage[]): Promise<void> {
  const [{ registry } = { registry: undefined }] = packages;
  if (!registry) return;
  const folder = await mkdtemp(join(CACHE, 'download-'));
  try {
    // Debian removes old versions: one of them fails the whole command.
    const isDone = await CLIENTS[registry].download(packages, folder).then(
      () => true,
      () => false,
    );
    if (!isDone && packages.length > 1) {
      for (const one of packages) await fetchSome([one]);
      return;
    }
    await unpackVerified(packages, registry, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpackVerified(
  packages: readonly PinnedPackage[],
  registry: PinnedPackage['registry'],
  folder: string,
): Promise<void> {
  const wanted = new Map(packages.map((one) => [one.sha256, one]));
  for (const name of await readdir(folder)) {
    const archive = join(folder, name);
    const pinned = wanted.get(
      createHash('sha256')
        .update(await readFile(archive))
        .digest('hex'),
    );
    if (!pinned) continue;
    const unpacked = await mkdtemp(join(CACHE, 'download-'));
    await CLIENTS[registry].unpack(archive, unpacked);
    await mkdir(join(getPackageFolder(pinned), '..'), { recursive: true });
    await rename(unpacked, getPackageFolder(pinned));
  }
}
