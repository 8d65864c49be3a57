// The branch of the official release, against a local server of releases that is honest, wrong, silent or not there.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextOf, findNats, findProgram, findQdrant } from './find-program.ts';
import { natsProduct, qdrantProduct } from './product.ts';
import { startNats } from './start-nats.ts';
import { makeToolDir, writeVersionProgram } from './testing/fake-program.ts';
import {
  hang,
  packRelease,
  send,
  serveReleases,
  stall,
  type Answer,
  type ReleaseFixture,
} from './testing/release-server.ts';
import { scratchDir } from './testing/scratch-dir.ts';

type Scene = {
  dir: string;
  cacheDir: string;
  env: { readonly PATH: string };
  fixture: ReleaseFixture;
};

async function scene(line = 'nats-server: v2.15.1', fileName = 'nats-server'): Promise<Scene> {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'packed/nats-server-v2.15.1/', fileName), line);
  return {
    dir,
    cacheDir: join(dir, 'cache'),
    env: { PATH: await makeToolDir(join(dir, 'tools')) },
    fixture: await packRelease(natsProduct, join(dir, 'packed/nats-server-v2.15.1'), dir),
  };
}

function published({ fixture }: Scene, archive: Answer = send(fixture.archive), checksums = send(fixture.checksums)) {
  return serveReleases(
    new Map([
      [fixture.assetPath, archive],
      [fixture.checksumsPath, checksums],
    ]),
  );
}

/** Nothing may be left of a fetch that failed. */
async function cached(cacheDir: string): Promise<string[]> {
  return readdir(join(cacheDir, 'nats-server')).catch(() => []);
}

test('fetches the release that matches its checksum, once, and says so', async () => {
  const here = await scene();
  const { url, requests } = await published(here);
  const lines: string[] = [];
  const options = { env: here.env, cacheDir: here.cacheDir, releasesUrl: url, log: (line: string) => lines.push(line) };
  const first = await findNats(options);
  expect(first).toMatchObject({ kind: 'program', version: '2.15.1', source: 'release v2.15.1' });
  expect(await findNats(options)).toEqual(first);
  expect(requests).toEqual([here.fixture.checksumsPath, here.fixture.assetPath]);
  expect(lines).toEqual(['fetching nats-server 2.15.1 (official release), once']);
  expect(await cached(here.cacheDir)).toHaveLength(1);
});

test.each<[string, RegExp, (here: Scene) => ReturnType<typeof published>]>([
  [
    'whose bytes are not those of the checksum',
    /does not match its published checksum/,
    (here) => published(here, send(Buffer.concat([here.fixture.archive, Buffer.from('\0')]))),
  ],
  ['without a checksum', /states no SHA-256 of/, (here) => published(here, send(here.fixture.archive), send('\n'))],
  ['whose archive is missing', /answered 404/, (here) => published(here, (response) => response.writeHead(404).end())],
  ['whose transfer stands still', /stood still for/, (here) => published(here, stall(here.fixture.archive))],
])('keeps nothing of a release %s', async (_, reason, publish) => {
  const here = await scene();
  const { url } = await publish(here);
  const context = { ...contextOf({ ...here, releasesUrl: url }), stallTimeoutMs: 200 };
  const found = await findProgram(natsProduct, context);
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(reason) });
  expect(await cached(here.cacheDir)).toEqual([]);
});

test.each([
  ['that does not run', () => scene('no version at all')],
  ['that is too old', () => scene('nats-server: v2.1.0')],
  ['without the program', () => scene('nats-server: v2.15.1', 'README')],
])('keeps nothing of a verified release %s', async (_, make) => {
  const here = await make();
  const { url } = await published(here);
  const found = await findNats({ ...here, releasesUrl: url });
  expect(found).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringMatching(/names no version|older than|holds no nats-server/),
  });
  expect(await cached(here.cacheDir)).toEqual([]);
});

test('moves on from a server that accepts and says nothing, within the default time', { timeout: 10_000 }, async () => {
  const here = await scene();
  const { url } = await published(here, hang, hang);
  const startedAt = performance.now();
  const found = await findNats({ ...here, releasesUrl: url });
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('no answer within 3000 ms') });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('moves on at once from an address where nobody listens', async () => {
  const here = await scene();
  const found = await findNats({ ...here, releasesUrl: 'http://127.0.0.1:1' });
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/127\.0\.0\.1:1/) });
});

test('replaces a cached program that does not run any more', async () => {
  const here = await scene();
  const { url } = await published(here);
  const first = await findNats({ ...here, releasesUrl: url });
  if (first.kind !== 'program') throw new Error('no program');
  await writeVersionProgram(first.path, 'damaged');
  expect(await findNats({ ...here, releasesUrl: url })).toEqual(first);
  expect(await cached(here.cacheDir)).toHaveLength(1);
});

test('checks Qdrant, which publishes no checksum file, against the digest that GitHub states', async () => {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'packed/bin/qdrant'), 'qdrant 1.19.0');
  const fixture = await packRelease(qdrantProduct, join(dir, 'packed/bin'), dir);
  const digest = `sha256:${/^([0-9a-f]{64}) {2}qdrant/m.exec(fixture.checksums)?.[1]}`;
  const { url } = await serveReleases(
    new Map([
      [fixture.assetPath, send(fixture.archive)],
      [
        `/api/v3/repos/qdrant/qdrant/releases/tags/v${fixture.release.version}`,
        send(JSON.stringify({ assets: [{ name: fixture.asset, digest }] })),
      ],
    ]),
  );
  const env = { PATH: await makeToolDir(join(dir, 'tools')) };
  const found = await findQdrant({ env, cacheDir: join(dir, 'cache'), releasesUrl: url });
  expect(found).toMatchObject({ kind: 'program', version: '1.19.0' });
});

test('a real nats-server, fetched as a release, starts', { timeout: 30_000 }, async ({ skip }) => {
  const real = await findProgram(natsProduct, contextOf({}));
  if (real.kind === 'unavailable') return skip(real.reason);
  const dir = await scratchDir();
  const fixture = await packRelease(natsProduct, join(real.path, '..'), dir);
  const here = { dir, cacheDir: join(dir, 'cache'), env: { PATH: await makeToolDir(join(dir, 'tools')) }, fixture };
  const { url } = await published(here);
  const server = await startNats({ ...here, storeDir: join(dir, 'store'), releasesUrl: url });
  await server.stop();
  expect(server).toMatchObject({ version: real.version, source: 'release v2.15.1' });
});
