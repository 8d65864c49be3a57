// Describes each of the three servers: names, the oldest supported version, and its published binaries with their
// checksums. Data only; find-program.ts uses it.
import { parseVersion, type Version } from './version.ts';

export type Product = {
  /** The program's file name, also its folder in the cache and its name in messages. */
  program: string;
  /** The environment variable that names a server which runs already. */
  addressVariable: string;
  minVersion: Version;
  /** Binary releases on GitHub, or the sentence why there are none to use. */
  release: ProductRelease | string;
  /** The package in Debian, or the sentence why there is none to use. */
  debian: DebianPackage | string;
};

type ProductRelease = {
  /** owner/name on GitHub. */
  repository: string;
  /** The release that is fetched. Pinned, so that two machines run the same server. */
  version: string;
  /** By platform and architecture as in Node: `linux-x64`. Other platforms are not fetched. */
  assets: Readonly<Record<string, Asset>>;
};

/**
 * An archive of the release with its SHA-256 in lower-case hexadecimal. The checksum is pinned here instead of fetched:
 * a checksum from the archive's own server does not authenticate the archive. A new version needs new ones, each
 * verified with two sources if two exist (nats-server on macOS and Windows had one).
 */
type Asset = { name: string; sha256: string };

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
  minVersion: parseOldest('2.12.0'),
  release: {
    repository: 'nats-io/nats-server',
    version: '2.15.0',
    assets: {
      'linux-x64': {
        name: 'nats-server-v2.15.0-linux-amd64.tar.gz',
        sha256: '5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92',
      },
      'linux-arm64': {
        name: 'nats-server-v2.15.0-linux-arm64.tar.gz',
        sha256: 'cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112',
      },
      'darwin-arm64': {
        name: 'nats-server-v2.15.0-darwin-arm64.tar.gz',
        sha256: 'e1c4e22d70bd44abfa0bcb3c16f7cf0c66f648c2e728c58924e8a1ce88913cc8',
      },
      'win32-x64': {
        name: 'nats-server-v2.15.0-windows-amd64.zip',
        sha256: '2d0861dc2ca3567d17f7d19611d7b346cc2ccbd7086a0a77cc957a2c71663200',
      },
    },
  },
  debian: { suite: 'sid', packages: ['nats-server'], withDependencies: false, path: 'usr/sbin/nats-server' },
};

export const redisProduct: Product = {
  program: 'redis-server',
  addressVariable: 'REDIS_URL',
  minVersion: parseOldest('6.2.0'),
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
  minVersion: parseOldest('1.10.0'),
  release: {
    repository: 'qdrant/qdrant',
    version: '1.19.0',
    // The musl builds run on every Linux; the gnu ones need a recent libc.
    assets: {
      'linux-x64': {
        name: 'qdrant-x86_64-unknown-linux-musl.tar.gz',
        sha256: '9ec667456443463eee390e43cd36988af6b730c6db807b4e39f57c303d0264a3',
      },
      'linux-arm64': {
        name: 'qdrant-aarch64-unknown-linux-musl.tar.gz',
        sha256: '8986afbbff9ac32d6e2dbe5cabec80565f613f777126096a461ba066573d3245',
      },
      'darwin-x64': {
        name: 'qdrant-x86_64-apple-darwin.tar.gz',
        sha256: 'e7afefcc125856157b33c6184c00ddee3f1d5b112474649070592d9fdd9a3f54',
      },
      'darwin-arm64': {
        name: 'qdrant-aarch64-apple-darwin.tar.gz',
        sha256: '4e279a80cc1ebe73e859318ff86375af54c123887dd7ae46605c0eb6cb7c44e8',
      },
      'win32-x64': {
        name: 'qdrant-x86_64-pc-windows-msvc.zip',
        sha256: '980cb2e1ae771155cf211da8c0a8a9206b6482bd4effdc4db994d3adb707b087',
      },
    },
  },
  debian: 'Debian has no package of it',
};

function parseOldest(text: string): Version {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`not a version: ${text}`);
  return version;
}
