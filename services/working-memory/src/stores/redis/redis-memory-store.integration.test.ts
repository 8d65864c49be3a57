import { useOwnRedis } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectRedis, RUN_MARK_TTL_MS } from '@millrace/stores';
import { createRedisMemoryStore } from './redis-memory-store.ts';
import { describeMemoryStore } from '../../store/conformance/memory-store.ts';

const server = useOwnRedis();
const owner = { tenant: 'default', key: 'ada' };
const log = { info: () => undefined, warn: () => undefined };
const connect = (url = server.url, waitMs = 10_000) =>
  connectRedis({ url, service: 'test', store: 'working-memory store', log, waitMs });

beforeEach(async () => {
  const redis = await connect();
  await redis.flushall();
  await redis.quit();
});

describeMemoryStore('Redis, as the user of the service', async () =>
  createRedisMemoryStore(await connect(server.urlAs('working-memory'))),
);

describe('working memory on a Redis server', () => {
  test('every key starts with the tenant, and only the marks of runs expire', async () => {
    const redis = await connect();
    const store = createRedisMemoryStore(redis);
    await store.compareAndSet({ owner, run: { runId: 'r1', epoch: 1 }, version: 0, memory: { a: 1 } });
    const keys = (await redis.keys('*')).toSorted();
    expect(keys).toEqual(['default:working-memory:{ada}:resource', 'default:working-memory:{ada}:resource:run:r1']);
    expect(await redis.pttl(keys[0] ?? '')).toBe(-1);
    const leftMs = await redis.pttl(keys[1] ?? '');
    expect(leftMs).toBeGreaterThan(RUN_MARK_TTL_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(RUN_MARK_TTL_MS);
    await store.close();
  });

  test('calls fail at once during an outage of Redis, and the memory is unchanged after it', async () => {
    const redis = await connect();
    const store = createRedisMemoryStore(redis);
    await store.compareAndSet({ owner, run: { runId: 'r1', epoch: 1 }, version: 0, memory: { a: 1 } });
    await server.stop();
    const asked = performance.now();
    await expect(store.read(owner)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(performance.now() - asked).toBeLessThan(2_500);

    const back = new Promise((resolve) => void redis.once('ready', resolve));
    await server.start();
    await back;
    expect(await store.readForRun(owner, 'r1')).toEqual({
      memory: { a: 1 },
      version: 1,
      trust: 'untrusted',
      writtenEpoch: 1,
    });
    await store.close();
  });

  test('the service rejects an unreachable address at its start', async () => {
    const start = connect('redis://127.0.0.1:1', 200);
    await expect(start).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('200 ms'),
    });
  });
});
