// The health check of the compose service `nats` against a real server with a temporarily full disk.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { useBus, useNats, writableFiles } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const nats = useNats();
const connection = useBus(nats, 'writer');
let dir = '';
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'millrace-health-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Exit code of the check. */
function check(dataDir = dir): Promise<number> {
  const script = resolve(import.meta.dirname, '../../deploy/nats/check-health.sh');
  const env = {
    PATH: process.env['PATH'] ?? '',
    NATS_MONITOR_URL: nats.monitorUrl,
    NATS_DATA_DIR: dataDir,
    NATS_PID: String(nats.pid),
    NATS_HEALTH_MARKER: join(dir, 'marker'),
  };
  return new Promise((done) => {
    const child = execFile('sh', [script], { env, timeout: 20_000 }, () => done(child.exitCode ?? -1));
  });
}
const isRunning = () => {
  try {
    return process.kill(nats.pid, 0);
  } catch {
    return false;
  }
};

test('the second health check stops a server with a failed stream as soon as the disk has room, and not before', async () => {
  const { nc } = connection.bus;
  const ask = async (subject: string, payload: object) =>
    (await nc.request(subject, JSON.stringify(payload), { timeout: 2_000 })).json();
  await ask('$JS.API.STREAM.CREATE.S', { name: 'S', subjects: ['s'], storage: 'file' });
  expect(await check()).toBe(0);

  writableFiles(nats.pid, false);
  await nc.request('s', 'x', { timeout: 1_000 }).catch(() => undefined);
  expect([await check(), isRunning()]).toEqual([1, true]);
  // No file system: no room.
  expect([await check(join(dir, 'none')), isRunning()]).toEqual([1, true]);
  writableFiles(nats.pid, true);
  expect(await check()).toBe(1);
  await expect.poll(isRunning, { timeout: 10_000 }).toBe(false);
  // Its claim of the directory is released a moment after its end.
  await nats.stop();
  await nats.start();
  expect(await check()).toBe(0);
});
