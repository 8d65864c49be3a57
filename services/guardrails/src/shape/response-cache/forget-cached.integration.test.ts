import { connectRedis } from '@millrace/stores';
import { useRedis } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { buildOwnerKey, createGuardStore } from '../../store/guard-store.ts';
import { cacheAnswer, forgetCached } from './forget-cached.ts';

const server = useRedis();
const ttlSeconds = 60;
const log = { info: () => undefined, warn: () => undefined };

test('the cached answers of a resource and its threads are deleted, and those of similar names remain', async () => {
  const store = createGuardStore({ url: server.urlAs('guardrails') }, log);
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'guards', log });
  const cache = async (
    tenant: string,
    resourceId: string | undefined,
    scope: 'resource' | 'thread',
    what = 'response-cache',
  ) => {
    const run = {
      tenant,
      runId: 'r',
      agent: 'a',
      epoch: 1,
      threadId: 't',
      ...(resourceId !== undefined && { resourceId }),
    };
    const key = `${buildOwnerKey(what, scope, run)}:hash`;
    if (what === 'response-cache') await cacheAnswer(redis, run, { key, text: 'answer', ttlSeconds });
    else await redis.set(key, 'answer');
    return key;
  };
  const own = [await cache('acme', 'a*', 'resource'), await cache('acme', 'a*', 'thread')];
  const others = [
    await cache('acme', 'ab', 'resource'),
    await cache('acme', 'a', 'resource'),
    await cache('acme', 'a*b', 'thread'),
    await cache('other', 'a*', 'resource'),
    await cache('acme', undefined, 'thread'),
    await cache('acme', 'a*', 'resource', 'cost'),
  ];
  const request = { what: 'resource' as const, tenant: 'acme', resourceId: 'a*', runs: [] };
  expect(await forgetCached(store, request)).toEqual({ deleted: 2, left: 0 });
  expect(await redis.exists(...own)).toBe(0);
  expect(await redis.exists(...others)).toBe(others.length);
  expect(await forgetCached(undefined, request)).toEqual({ deleted: 0, left: 0 });
  await Promise.all([redis.quit(), store.close()]);
});

test('the list of a resource expires with its last key, and expired keys leave it', async () => {
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'guards', log });
  const run = { tenant: 'acme', runId: 'r', agent: 'a', epoch: 1, resourceId: 'listed' };
  const list = 'acme:response-cache:{list:listed}';
  await redis.zadd(list, 1, 'expired');
  await cacheAnswer(redis, run, { key: 'long', text: 'answer', ttlSeconds: 60 });
  await cacheAnswer(redis, run, { key: 'short', text: 'answer', ttlSeconds: 10 });
  expect((await redis.zrange(list, '0', '-1')).toSorted()).toEqual(['long', 'short']);
  const leftMs = await redis.pttl(list);
  expect(leftMs).toBeGreaterThan(50_000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
  await redis.quit();
});
