import { connectRedis } from '@millrace/stores';
import { eventually, useOwnRedis } from '@millrace/testkit';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeHistoryStore } from '../../store/conformance/history-store.ts';
import { RUN_MARKS_KEPT } from '../../store/history-store.ts';
import { block, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';
import { createRedisHistoryStore } from './redis-history-store.ts';
import { INDEX_PARTS, findIndexKeys, listThreadKeys } from './redis-keys.ts';

const log = { info: () => undefined, warn: () => undefined };
const connect = (url: string) => connectRedis({ url, service: 'test', store: 'message store', log });

describe('one Redis', () => {
  const server = useOwnRedis();
  describeHistoryStore('Redis, as the user of the service', async () =>
    createRedisHistoryStore(await connect(server.urlAs('message-history'))),
  );

  describe('the cost of a history on Redis', () => {
    let redis: Redis;
    beforeAll(async () => {
      redis = await connect(server.url);
    });
    afterAll(() => redis.quit());

    test('recalling 10 of 1,000 messages reads 10 and transfers the bytes of 10', async () => {
      const store = createRedisHistoryStore(redis);
      const tenant = newTenant();
      const text = 'x'.repeat(2_000);
      for (let run = 0; run < 100; run += 1) {
        const runId = `run-${run}`;
        await store.saveBlock(block({ tenant, runId, messages: messagesOfRun(runId, 10, text) }));
      }
      const before = { reads: await countCalls(redis, 'hget'), bytes: await bytesSent(redis) };
      expect((await store.recallLast(block({ tenant }), 10)).messages).toHaveLength(10);
      // One more call reads the owner of the thread.
      expect((await countCalls(redis, 'hget')) - before.reads).toBe(11);
      expect((await bytesSent(redis)) - before.bytes).toBeLessThan(10 * 2_500 + 20_000);
    });

    test("the store trims the marks of a thread's runs and keeps the last ones", async () => {
      const store = createRedisHistoryStore(redis);
      const tenant = newTenant();
      const runs = 3 * RUN_MARKS_KEPT;
      for (let run = 1; run <= runs; run += 1) {
        await store.saveBlock(block({ tenant, runId: `run-${run}`, messages: messagesOfRun('always-the-same', 1) }));
      }
      expect(await redis.hlen(listThreadKeys(block({ tenant })).runs)).toBeLessThanOrEqual(2 * RUN_MARKS_KEPT);
      const late = store.saveBlock(block({ tenant, runId: `run-${runs - 10}`, epoch: 0 }));
      await expect(late).rejects.toMatchObject({ code: 'save-superseded' });
    });

    test('a repeated save lists a thread that was stored but not listed because its process died', async () => {
      const store = createRedisHistoryStore(redis);
      const saved = block({ tenant: newTenant() });
      await store.saveBlock(saved);
      await redis.del(...findIndexKeys(saved, saved.owner));
      await store.saveBlock(saved);
      const page = { limit: 10, offset: 0 };
      expect(await store.listThreads({ tenant: saved.tenant }, page)).toMatchObject({ total: 1 });
      expect(await store.listThreads({ tenant: saved.tenant, owner: saved.owner }, page)).toMatchObject({ total: 1 });
    });

    test("a tenant's list of threads is split: no key holds all of them", async () => {
      const store = createRedisHistoryStore(redis);
      const tenant = newTenant();
      const ids = Array.from({ length: 200 }, (_, at) => `thread-${at}`);
      await Promise.all(ids.map((threadId) => store.saveBlock(block({ tenant, threadId }))));
      const keys = (await redis.keys(`${tenant}:history:threads:*`)).toSorted();
      expect(keys).toHaveLength(INDEX_PARTS);
      const sizes = await Promise.all(keys.map((key) => redis.zcard(key)));
      expect(Math.max(...sizes)).toBeLessThan(60);
    });
  });
});

// In cluster mode the server rejects every script and command with keys in several slots, even if it owns all
// slots.
describe('one node of a Redis Cluster', () => {
  const server = useOwnRedis({ extraConfig: 'cluster-enabled yes' });
  beforeAll(async () => {
    if (!server.available) return;
    const redis = await connect(server.url);
    await redis.cluster('ADDSLOTSRANGE', 0, 16_383);
    await eventually(async () => (await redis.cluster('INFO')).includes('cluster_state:ok'));
    await redis.quit();
  });
  describeHistoryStore('Redis Cluster', async () => createRedisHistoryStore(await connect(server.url)));
});

async function countCalls(redis: Redis, command: string): Promise<number> {
  return numberIn(await redis.info('commandstats'), new RegExp(`cmdstat_${command}:calls=(\\d+)`));
}

async function bytesSent(redis: Redis): Promise<number> {
  return numberIn(await redis.info('stats'), /total_net_output_bytes:(\d+)/);
}

function numberIn(info: string, pattern: RegExp): number {
  return Number(pattern.exec(info)?.[1] ?? 0);
}
