import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, openJetStream, type Bus } from '@millrace/bus';
import { afterAll, expect, test } from 'vitest';
import { returnNats, takeNats, type PooledNats } from './nats-pool.ts';

const taken = new Set<PooledNats>();
async function take(): Promise<PooledNats> {
  const pooled = await takeNats();
  taken.add(pooled);
  return pooled;
}
async function giveBack(pooled: PooledNats): Promise<void> {
  taken.delete(pooled);
  await returnNats(pooled);
}
afterAll(() => Promise.all([...taken].map(giveBack)));

const connect = ({ server }: PooledNats): Promise<Bus> => connectBus({ servers: server.url, name: 'test' });

test('A returned server is the next one that is taken, without its streams', async () => {
  const first = await take();
  const bus = await connect(first);
  const { jsm } = await openJetStream(bus);
  await jsm.streams.add({ name: 'LEFT', subjects: ['left'] });
  await bus.close();
  await giveBack(first);
  const second = await take();
  expect(second.server.pid).toBe(first.server.pid);
  const next = await connect(second);
  expect(await (await openJetStream(next)).jsm.streams.names().next()).toEqual([]);
  await next.close();
  await giveBack(second);
});

test('A server that a client still uses is ended', async () => {
  const pooled = await take();
  const bus = await connect(pooled);
  await giveBack(pooled);
  expect(pooled.isAlive()).toBe(false);
  await bus.close();
});

test('A server is ended if the test has changed its key folder', async () => {
  const pooled = await take();
  await writeFile(join(pooled.users.keys, 'gateway', 'user.nk'), 'changed');
  await giveBack(pooled);
  expect(pooled.isAlive()).toBe(false);
});

test('An idle server that has died is not taken', async () => {
  const pooled = await take();
  await giveBack(pooled);
  process.kill(pooled.server.pid, 'SIGKILL');
  await pooled.server.exited;
  const next = await take();
  expect(next.isAlive()).toBe(true);
  await giveBack(next);
});
