// Fetches Debian's packages into an empty cache: as this user, and if that is root also as a user without other write
// permissions.
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findDebianPackage } from './debian-package.ts';
import { createContext, find } from './find-program.ts';
import { describeCurrentHost } from '../process/host.ts';
import { natsProduct, redisProduct, type Product } from './product.ts';
import { searchPath } from './search-path.ts';
import { scratchDir } from '../testing/scratch-dir.ts';

const script = fileURLToPath(new URL('../testing/fetch-debian-main.ts', import.meta.url));
const NOBODY = 65_534;
const FETCH_TIMEOUT_MS = 120_000;

const [aptGet] = await searchPath('apt-get', describeCurrentHost());
const mayBecomeNobody =
  process.getuid?.() === 0 &&
  [script, process.execPath].every(
    (path) => spawnSync('test', ['-r', path], { uid: NOBODY, gid: NOBODY }).status === 0,
  );
if (aptGet === undefined) process.stderr.write('skipped: Debian packages, there is no apt-get here\n');

/** Result of the fetch, or the reason why this machine cannot try. */
function fetch(product: Product, cacheDir: string, uid?: number): { value: unknown } | { skipped: string } {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const result = spawnSync(process.execPath, [script, product.program, cacheDir], {
    ...user,
    cwd: cacheDir,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    encoding: 'utf8',
    timeout: FETCH_TIMEOUT_MS,
  });
  expect(result.stderr).toBe('');
  const noWayOut = /not a Debian machine|no Debian archive|Could not (connect|resolve)|Temporary failure/.exec(
    result.stdout,
  );
  return noWayOut === null ? { value: JSON.parse(result.stdout) } : { skipped: result.stdout };
}

/** When the machine's own package state was last changed. */
async function systemState(): Promise<unknown> {
  const paths = ['/etc/apt', '/var/lib/apt', '/var/lib/apt/lists', '/var/lib/dpkg', '/var/cache/apt'];
  const times = paths.map((path) =>
    stat(path).then(
      (stats) => stats.mtimeMs,
      () => undefined,
    ),
  );
  return Promise.all(times);
}

describe.skipIf(aptGet === undefined)('a Debian package', { timeout: FETCH_TIMEOUT_MS }, () => {
  test.runIf(mayBecomeNobody).for([natsProduct, redisProduct])(
    'is fetched without root: $program',
    async (product, { skip }) => {
      const cacheDir = join(await scratchDir(), 'a cache');
      await mkdir(cacheDir);
      await chmod(join(cacheDir, '..'), 0o755);
      await chown(cacheDir, NOBODY, NOBODY);
      const fetched = fetch(product, cacheDir, NOBODY);
      if ('skipped' in fetched) return skip(fetched.skipped);
      expect(fetched.value).toMatchObject({ kind: 'program', path: expect.stringContaining(cacheDir) });
    },
  );

  test('is fetched once, used again at once, and changes nothing outside the cache', async ({ skip }) => {
    const cacheDir = await scratchDir();
    const before = await systemState();
    const fetched = fetch(redisProduct, cacheDir);
    if ('skipped' in fetched) return skip(fetched.skipped);
    expect(await systemState()).toEqual(before);
    expect(await readdir(join(cacheDir, 'redis-server'))).toHaveLength(1);

    const startedAt = performance.now();
    const again = await find(redisProduct, { cacheDir, env: { PATH: '' } });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(again).toEqual(fetched.value);
    expect(again).toMatchObject({ kind: 'program', source: expect.stringMatching(/^Debian [a-z]+$/) });
  });

  test('keeps nothing when the archive cannot be reached', async () => {
    const dir = await scratchDir();
    await writeFile(join(dir, 'sources.list'), 'deb http://127.0.0.1:1/debian bookworm main\n');
    await writeFile(join(dir, 'os-release'), 'ID=debian\nVERSION_CODENAME=bookworm\n');
    const host = { ...describeCurrentHost(), aptDir: dir, osReleaseFile: join(dir, 'os-release') };
    const context = { ...createContext({ cacheDir: join(dir, 'cache') }), host };
    const found = await findDebianPackage(redisProduct, context);
    expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/apt-get update failed/) });
    expect(await readdir(join(dir, 'cache/redis-server'))).toEqual([]);
  });

  test('is not tried without a Debian archive in the configuration of apt', async () => {
    const dir = await scratchDir();
    await writeFile(join(dir, 'os-release'), 'PRETTY_NAME="Debian GNU/Linux"\nID=debian\n');
    const host = { ...describeCurrentHost(), aptDir: dir, osReleaseFile: join(dir, 'os-release') };
    const found = await findDebianPackage(natsProduct, { ...createContext({ cacheDir: dir }), host });
    expect(found).toEqual({ kind: 'unavailable', reason: `no Debian archive is named in ${dir}` });
  });
});

test.each([
  ['another distribution', 'linux', 'ID=ubuntu\nID_LIKE=debian\n'],
  ['macOS', 'darwin', 'ID=debian\n'],
] as const)('%s is not taken for Debian', async (_, platform, osRelease) => {
  const dir = await scratchDir();
  await writeFile(join(dir, 'os-release'), osRelease);
  const host = { ...describeCurrentHost(), platform, osReleaseFile: join(dir, 'os-release') };
  const found = await findDebianPackage(natsProduct, { ...createContext({ cacheDir: dir }), host });
  expect(found).toEqual({ kind: 'unavailable', reason: 'this is not a Debian machine' });
});
