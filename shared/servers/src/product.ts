// What there is to know about each of the three servers before one is looked for: names, the oldest version that will do, and
// where its binaries are published. Facts only; find-program.ts acts on them.
import type { Host } from './host.ts';
import { parseVersion, type Version } from './version.ts';

export type Product = {
  /** The program's file name, also its folder in the cache and its name in messages. */
  program: string;
  /** The environment variable that names a server which runs already. */
  addressVariable: string;
  minVersion: Version;
  /** Binary releases on GitHub, or the sentence why there are none to use. */
  release: Release | string;
  /** The package in Debian, or the sentence why there is none to use. */
  debian: DebianPackage | string;
};

export type Release = {
  /** owner/name on GitHub. */
  repository: string;
  /** The release that is fetched. Pinned, so that two machines run the same server. */
  version: string;
  /** The archive for this machine, or undefined where none is published. */
  asset: (host: Host, version: string) => string | undefined;
  /** `file`: an asset of that name holds `<sha256>  <file>` lines. `digest`: GitHub's API states the asset's SHA-256. */
  checksums: { readonly kind: 'file'; readonly name: string } | { readonly kind: 'digest' };
};

export type DebianPackage = {
  /** `own`: the release that the machine runs. `sid`: Debian's newest, for programs that depend on little but libc. */
  suite: 'own' | 'sid';
  packages: readonly string[];
  /** Whether dependencies that the machine lacks are fetched too. Only right for the machine's own release. */
  withDependencies: boolean;
  /** The program's path inside the unpacked packages. */
  path: string;
};

/** 2.12 brought message schedules (`@at`), which timers need. */
export const natsProduct: Product = {
  program: 'nats-server',
  addressVariable: 'NATS_URL',
  minVersion: oldest('2.12.0'),
  release: {
    repository: 'nats-io/nats-server',
    version: '2.15.1',
    asset: natsAsset,
    checksums: { kind: 'file', name: 'SHA256SUMS' },
  },
  debian: { suite: 'sid', packages: ['nats-server'], withDependencies: false, path: 'usr/sbin/nats-server' },
};

export const redisProduct: Product = {
  program: 'redis-server',
  addressVariable: 'REDIS_URL',
  minVersion: oldest('6.2.0'),
  release: 'Redis publishes no binaries',
  // Debian's redis-server is a link that the package redis-server makes to a program of redis-tools, which decides by the name
  // that it is called by. The link is made again in the cache.
  debian: {
    suite: 'own',
    packages: ['redis-tools', 'liblzf1', 'libjemalloc2'],
    withDependencies: true,
    path: 'usr/bin/redis-check-rdb',
  },
};

/** 1.10 brought the query API, which the current clients speak. */
export const qdrantProduct: Product = {
  program: 'qdrant',
  addressVariable: 'QDRANT_URL',
  minVersion: oldest('1.10.0'),
  release: {
    repository: 'qdrant/qdrant',
    version: '1.19.0',
    asset: qdrantAsset,
    checksums: { kind: 'digest' },
  },
  debian: 'Debian has no package of it',
};

function natsAsset(host: Host, version: string): string | undefined {
  const system = new Map([
    ['linux', 'linux'],
    ['darwin', 'darwin'],
    ['win32', 'windows'],
  ]).get(host.platform);
  const arch = new Map([
    ['x64', 'amd64'],
    ['arm64', 'arm64'],
  ]).get(host.arch);
  return system === undefined || arch === undefined ? undefined : `nats-server-v${version}-${system}-${arch}.tar.gz`;
}

function qdrantAsset(host: Host): string | undefined {
  const arch = new Map([
    ['x64', 'x86_64'],
    ['arm64', 'aarch64'],
  ]).get(host.arch);
  if (arch === undefined) return undefined;
  // The musl builds run on every Linux; the gnu ones need a recent libc.
  if (host.platform === 'linux') return `qdrant-${arch}-unknown-linux-musl.tar.gz`;
  if (host.platform === 'darwin') return `qdrant-${arch}-apple-darwin.tar.gz`;
  return host.platform === 'win32' && host.arch === 'x64' ? `qdrant-${arch}-pc-windows-msvc.zip` : undefined;
}

function oldest(text: string): Version {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`not a version: ${text}`);
  return version;
}
