// Tests the real backing servers of the services, if they are available.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createSubjects, readPrefix } from '@millrace/contracts';
import { locateQdrantKeyFile, openKeyFolder } from '@millrace/identity';
import { createResources } from '@millrace/service';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBackingServers } from './backing-servers.ts';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locateStateDir } from './state-dir.ts';
import { scratchDir } from './testing/scratch-dir.ts';

async function start(over: Record<string, string> = {}, root?: string, signal = new AbortController().signal) {
  const state = locateStateDir(root ?? (await scratchDir()));
  const resources = createResources();
  onTestFinished(async () => expect(await resources.release()).toEqual([]));
  const reports: string[] = [];
  const { NATS_URL: _n, REDIS_URL: _r, QDRANT_URL: _q, ...env } = process.env;
  const servers = await startBackingServers({
    state,
    env: { ...env, ...over },
    resources,
    report: (line) => reports.push(line),
    signal,
  });
  return { state, servers, resources, reports };
}

const isUp = (monitorUrl = ''): Promise<boolean> =>
  fetch(`${monitorUrl}/healthz`).then(
    (answer) => answer.ok,
    () => false,
  );

test(
  'addresses in the environment are used as they are, and nothing is started for them',
  { timeout: 60_000 },
  async () => {
    const { servers, reports } = await start({
      NATS_URL: 'nats://elsewhere:4222',
      REDIS_URL: 'redis://elsewhere:6379',
      QDRANT_URL: 'http://elsewhere:6333',
    });
    expect(servers).toEqual({
      nats: { url: 'nats://elsewhere:4222', about: 'from NATS_URL', isOurs: false },
      redis: { url: 'redis://elsewhere:6379', about: 'from REDIS_URL', isOurs: false },
      qdrant: { url: 'http://elsewhere:6333', about: 'from QDRANT_URL', isOurs: false },
    });
    expect(reports).toEqual([]);
  },
);

test('NATS keeps its ports over starts, and takes others if they are taken', { timeout: 60_000 }, async () => {
  const elsewhere = { REDIS_URL: 'redis://elsewhere:6379', QDRANT_URL: 'http://elsewhere:6333' };
  const root = await scratchDir();
  const first = await start(elsewhere, root);
  const { url, monitorUrl, webSocketUrl } = first.servers.nats;
  await first.resources.release();
  const second = await start(elsewhere, root);
  expect(second.servers.nats).toMatchObject({ url, monitorUrl, webSocketUrl });
  await second.resources.release();

  const other = createServer().listen(Number(new URL(url ?? '').port), '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(async () => void (await new Promise((closed) => other.close(closed))));
  const third = await start(elsewhere, root);
  expect(third.servers.nats.url).not.toBe(url);
  expect(third.servers.nats).toMatchObject({ isOurs: true, monitorUrl });
});

test('NATS starts, and is stopped, if its ports cannot be kept', { timeout: 60_000 }, async () => {
  const root = await scratchDir();
  await mkdir(locateStateDir(root).natsPorts);
  const { servers, resources, reports } = await start(
    { REDIS_URL: 'redis://elsewhere:6379', QDRANT_URL: 'http://elsewhere:6333' },
    root,
  );
  expect(await isUp(servers.nats.monitorUrl)).toBe(true);
  expect(reports).toEqual([expect.stringContaining('the next start of nats takes other ports: Error: EISDIR')]);
  expect(await resources.release()).toEqual([]);
  expect(await isUp(servers.nats.monitorUrl)).toBe(false);
});

test('A crashed server restarts at its address, and a stop ends it permanently', { timeout: 60_000 }, async () => {
  const elsewhere = { REDIS_URL: 'redis://elsewhere:6379', QDRANT_URL: 'http://elsewhere:6333' };
  const { state, servers, resources, reports } = await start(elsewhere);
  const { url, monitorUrl } = servers.nats;
  expect(await isUp(monitorUrl)).toBe(true);

  const claim: unknown = JSON.parse(await readFile(join(state.nats, 'nats-server.pid'), 'utf8'));
  expect(claim).toMatchObject({ server: { pid: expect.any(Number) } });
  process.kill(Object(claim).server.pid, 'SIGKILL');
  await vi.waitFor(() => expect(reports).toEqual([expect.stringContaining('nats ended')]), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await isUp(monitorUrl)).toBe(true), { timeout: 10_000 });
  expect(url).toBe(servers.nats.url);
  const { hostname, port } = new URL(servers.nats.webSocketUrl ?? '');
  expect(hostname).toBe('127.0.0.1');
  // Any answer, such as that of a request that is no WebSocket, shows that the listener is back at its port.
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBeGreaterThanOrEqual(400);

  expect(await resources.release()).toEqual([]);
  expect(await isUp(monitorUrl)).toBe(false);
  expect(reports).toHaveLength(1);
});

test('an interrupted start rejects with the reason of its signal and leaves no rejection unhandled', async () => {
  const root = await scratchDir();
  const { keys } = locateStateDir(root);
  await openKeyFolder(keys, createSubjects(readPrefix({})));
  // Reading this file takes longer than the search for nats-server, which the signal ends.
  await appendFile(locateQdrantKeyFile(keys), '\n'.repeat(32 * 1024 * 1024));
  const unhandled: unknown[] = [];
  const collect = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', collect);
  onTestFinished(() => void process.off('unhandledRejection', collect));
  const reason = new Error('interrupted');
  await expect(start({}, root, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(unhandled).toEqual([]);
});
