// Recent requests in Redis: every gateway reads them, and a damaged record ends nothing.
import { useOwnRedis } from '@millrace/testkit';
import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { KEEP_MS } from './request-record.ts';
import { createSharedStore } from './recent-store.ts';
import { createRecentRequests } from './recent-requests.ts';

const redis = useOwnRedis();
const connections: Redis[] = [];
beforeAll(() => {
  for (let at = 0; at < 2; at += 1) connections.push(new Redis(redis.urlAs('gateway')).on('error', () => undefined));
});
afterAll(() => Promise.all(connections.map((connection) => connection.quit())));
const connect = (at: number): Redis => {
  const connection = connections[at];
  if (!connection) throw new Error('no connection');
  return connection;
};

describe('a shared store', () => {
  test('returns no value that another gateway has removed, although this gateway has set it', async () => {
    const [own, other] = [createSharedStore(connect(0)), createSharedStore(connect(1))];
    await own.set('removed', 'run-1', KEEP_MS);
    expect(await other.get('removed')).toBe('run-1');
    await other.remove('removed');
    expect(await own.get('removed')).toBeUndefined();
  });
});

describe('a damaged record', () => {
  const damage = (print: string, text: string) => connect(1).set(`:gateway:requests:open:${print}`, text);
  const create = () => createRecentRequests({ id: 'own', hasLeft: async () => true, redis: connect(0), renewMs: 10 });

  test.each(['{"value":', 'null', '{"value":1}'])(
    'with the text %s is renewed and ended without an error',
    async (text) => {
      const opened = await create().open('damaged', 'run-1');
      await damage('damaged', text);
      const reading = vi.spyOn(connect(0), 'get');
      // Two renewals have read the record.
      await expect.poll(() => reading.mock.calls.length).toBeGreaterThan(1);
      await opened.end('cut');
      expect(await create().findBroken('damaged')).toBeUndefined();
    },
  );

  test('names no gateway that has no valid id', async () => {
    await damage('foreign', JSON.stringify({ value: 'run-1', request: 'r', by: 'gateway.>' }));
    expect(await create().findBroken('foreign')).toBeUndefined();
  });
});

test('A renewal that is under way does not restore the record of an answered request', async () => {
  const shared = connect(0);
  const recent = createRecentRequests({ id: 'own', hasLeft: async () => true, redis: shared, renewMs: 10 });
  const opened = await recent.open('renewed', 'run-1');
  const gate = Promise.withResolvers<void>();
  const read = shared.get.bind(shared);
  const reading = vi.spyOn(shared, 'get').mockImplementationOnce(async (key) => {
    const record = await read(key);
    await gate.promise;
    return record;
  });
  await expect.poll(() => reading.mock.calls.length).toBeGreaterThan(0);
  const settled = opened.end('sent');
  await Promise.race([settled, delay(200)]);
  gate.resolve();
  await settled;
  await delay(50);
  expect(await recent.findBroken('renewed')).toBeUndefined();
});

test('A request that is opened while Redis is down is stored by a renewal when Redis is available again', async () => {
  const shared = new Redis(redis.urlAs('gateway'), { enableOfflineQueue: false, retryStrategy: () => 50 });
  shared.on('error', () => undefined);
  await expect.poll(() => shared.status).toBe('ready');
  await redis.stop();
  await expect.poll(() => shared.status).not.toBe('ready');
  const recent = createRecentRequests({ id: 'own', hasLeft: async () => true, redis: shared, renewMs: 10 });
  const opened = await recent.open('early', 'run-1');
  await redis.start();
  const other = createRecentRequests({ id: 'other', hasLeft: async () => true, redis: connect(1) });
  await expect
    .poll(() => other.find('early').catch(() => undefined), { timeout: 5_000 })
    .toMatchObject({ value: 'run-1' });
  await opened.end('sent');
  expect(await other.findBroken('early')).toBeUndefined();
  await shared.quit();
});
