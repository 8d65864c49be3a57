// The branch of the official release, against a local server of releases that is honest, wrong, silent or not there.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createContext, find, findProgram } from './find-program.ts';
import { natsProduct, qdrantProduct } from './product.ts';
import { startNats } from '../start/start-nats.ts';
import { makeToolDir, writeVersionProgram } from '../testing/fake-program.ts';
import {
  hang,
  packRelease,
  send,
  serveReleases,
  stall,
  type ServerAnswer,
  type ReleaseFixture,
} from '../testing/release-server.ts';
import { scratchDir } from '../testing/scratch-dir.ts';

type Scene = { dir: string; cacheDir: string; env: { PATH: string }; fixture: ReleaseFixture };

async function scene(line = 'nats-server: v2.15.0', fileName = 'nats-server'): Promise<Scene> {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'packed/nats-server-v2.15.0/', fileName), line);
  return {
    dir,
    cacheDir: join(dir, 'cache'),
    env: { PATH: await makeToolDir(join(dir, 'tools')) },
    fixture: await packRelease(natsProduct, join(dir, 'packed/nats-server-v2.15.0'), dir),
  };
}

function publishArchive({ fixture }: Scene, archive: ServerAnswer = send(fixture.archive)) {
  return serveReleases(new Map([[fixture.assetPath, archive]]));
}

const search = ({ fixture, env, cacheDir }: Scene, releasesUrl: string) =>
  find(fixture.product, { env, cacheDir, releasesUrl });

/** Nothing may be left of a fetch that failed. */
async function listCached(cacheDir: string): Promise<string[]> {
  return readdir(join(cacheDir, 'nats-server')).catch(() => []);
}

test('A release that matches its pinned checksum is fetched once, with a log line', async () => {
  const here = await scene();
  const { url, requests } = await publishArchive(here);
  const lines: string[] = [];
  const options = { env: here.env, cacheDir: here.cacheDir, releasesUrl: url, log: (line: string) => lines.push(line) };
  const first = await find(here.fixture.product, options);
  expect(first).toMatchObject({ kind: 'program', version: '2.15.0', source: 'release v2.15.0' });
  expect(await find(here.fixture.product, options)).toEqual(first);
  expect(requests).toEqual([here.fixture.assetPath]);
  expect(lines).toEqual(['fetching nats-server 2.15.0 (official release), once']);
  expect(await listCached(here.cacheDir)).toHaveLength(1);
});

test('a server of releases that agrees with itself about another archive is not believed', async () => {
  const here = await scene();
  const forged = await scene('nats-server: v2.15.0 forged');
  const sums = here.fixture.assetPath.replace(/[^/]*$/, 'SHA256SUMS');
  const { url, requests } = await serveReleases(
    new Map([
      [here.fixture.assetPath, send(forged.fixture.archive)],
      [sums, send('whatever it likes')],
    ]),
  );
  expect(await search(here, url)).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringMatching(
      /does not match the pinned checksum \(its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\)/,
    ),
  });
  expect(requests).toEqual([here.fixture.assetPath]);
  expect(await listCached(here.cacheDir)).toEqual([]);
});

test.each<[string, RegExp, (here: Scene) => ReturnType<typeof publishArchive>]>([
  [
    'with one byte more than was pinned',
    /does not match the pinned checksum/,
    (here) => publishArchive(here, send(Buffer.concat([here.fixture.archive, Buffer.from('\0')]))),
  ],
  [
    'with a missing archive',
    /answered 404/,
    (here) => publishArchive(here, (response) => response.writeHead(404).end()),
  ],
  ['with a stalled transfer', /stalled for/, (here) => publishArchive(here, stall(here.fixture.archive))],
])('nothing is kept of a release %s', async (_, reason, publish) => {
  const here = await scene();
  const { url } = await publish(here);
  const context = {
    ...createContext({ env: here.env, cacheDir: here.cacheDir, releasesUrl: url }),
    stallTimeoutMs: 200,
  };
  const found = await findProgram(here.fixture.product, context);
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(reason) });
  expect(await listCached(here.cacheDir)).toEqual([]);
});

test.each([
  ['that does not run', () => scene('no version at all')],
  ['that is too old', () => scene('nats-server: v2.1.0')],
  ['without the program', () => scene('nats-server: v2.15.0', 'README')],
])('nothing is kept of a verified release %s', async (_, make) => {
  const here = await make();
  const { url } = await publishArchive(here);
  const found = await search(here, url);
  expect(found).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringMatching(/names no version|older than|holds no nats-server/),
  });
  expect(await listCached(here.cacheDir)).toEqual([]);
});

test(
  'A server that accepts connections without answering is given up within the default timeout',
  { timeout: 10_000 },
  async () => {
    const here = await scene();
    const { url } = await publishArchive(here, hang);
    const startedAt = performance.now();
    const found = await search(here, url);
    expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('no answer within 3000 ms') });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  },
);

test('An address without a listener is given up at once', async () => {
  const found = await search(await scene(), 'http://127.0.0.1:1');
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/127\.0\.0\.1:1/) });
});

test('a cached program that does not run any more is replaced', async () => {
  const here = await scene();
  const { url } = await publishArchive(here);
  const first = await search(here, url);
  if (first.kind !== 'program') throw new Error('no program');
  await writeVersionProgram(first.path, 'damaged');
  expect(await search(here, url)).toEqual(first);
  expect(await listCached(here.cacheDir)).toHaveLength(1);
});

test('A machine without a pinned checksum gets the reason, and no request is sent', async () => {
  const here = await scene();
  const { url, requests } = await publishArchive(here);
  const context = createContext({ env: here.env, cacheDir: here.cacheDir, releasesUrl: url });
  const found = await findProgram(here.fixture.product, { ...context, host: { ...context.host, arch: 'sparc' } });
  expect(found).toMatchObject({ reason: expect.stringMatching(/no release is pinned for \w+ on sparc/) });
  expect(requests).toEqual([]);
});

test.each([natsProduct, qdrantProduct])(
  'every archive of $program has a SHA-256 of its own, and its version',
  (product) => {
    const { release } = product;
    if (typeof release === 'string') throw new Error(release);
    const assets = Object.values(release.assets);
    for (const { sha256 } of assets) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(assets.map(({ sha256 }) => sha256)).size).toBe(assets.length);
    // If the name contains the version, a new version without new names is detected.
    for (const { name } of assets.filter((asset) => /-v\d/.test(asset.name)))
      expect(name).toContain(`v${release.version}`);
  },
);

test('a real nats-server, fetched as a release, starts', { timeout: 30_000 }, async ({ skip }) => {
  const real = await findProgram(natsProduct, createContext({}));
  if (real.kind === 'unavailable') return skip(real.reason);
  const dir = await scratchDir();
  const fixture = await packRelease(natsProduct, join(real.path, '..'), dir);
  const here = { dir, cacheDir: join(dir, 'cache'), env: { PATH: await makeToolDir(join(dir, 'tools')) }, fixture };
  const { url } = await publishArchive(here);
  const program = await search(here, url);
  if (program.kind !== 'program') throw new Error('it is published');
  const server = await startNats({ env: here.env, cacheDir: here.cacheDir, storeDir: join(dir, 'store'), program });
  await server.stop();
  expect(server).toMatchObject({ version: real.version, source: 'release v2.15.0' });
});
