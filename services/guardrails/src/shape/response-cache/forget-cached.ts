// Deletes the cached answers of a resource, of its threads too. Other requests concern data that guards do not store.
// Each resource has a list of its keys, because the user of the service may not scan keys.
import type { ForgottenSaves } from '@millrace/bus';
import type { ForgetRequest, RunRef } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import { buildListKey, type GuardStore } from '../../store/guard-store.ts';

const KIND = 'response-cache';
/** Bound of one deletion with all its calls, ms. */
const FORGET_MS = 7_000;

/**
 * Stores an answer and lists its key until the key expires. It lists the key once more afterwards: a deletion in between
 * has taken it off the list.
 */
export async function cacheAnswer(
  redis: Redis,
  run: RunRef,
  { key, text, ttlSeconds }: { key: string; text: string; ttlSeconds: number },
): Promise<void> {
  const list = buildListKey(KIND, run);
  const now = Date.now();
  const listKey = async () => list !== undefined && redis.zadd(list, 'GT', now + ttlSeconds * 1_000, key);
  await listKey();
  await redis.set(key, text, 'EX', ttlSeconds);
  await listKey();
  if (list === undefined) return;
  await redis.zremrangebyscore(list, '-inf', now);
  // The list expires with the last of its keys.
  const [, last] = await redis.zrange(list, '0', '0', 'REV', 'WITHSCORES');
  if (last !== undefined) await redis.pexpireat(list, last);
}

/** @param store absent: no answer was ever cached. @throws store-unavailable */
export async function forgetCached(store: GuardStore | undefined, request: ForgetRequest): Promise<ForgottenSaves> {
  const list = request.what === 'resource' ? buildListKey(KIND, request) : undefined;
  if (list === undefined || store === undefined) return { deleted: 0, left: 0 };
  return store.ask('delete cached answers', AbortSignal.timeout(FORGET_MS), async (redis) => {
    const readKeys = () => redis.zrange(list, '0', '-1');
    const keys = await readKeys();
    const counts = await Promise.all(keys.map((key) => redis.del(key)));
    if (keys.length > 0) await redis.zrem(list, ...keys);
    const there = await Promise.all((await readKeys()).map((key) => redis.exists(key)));
    const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
    return { deleted: sum(counts), left: sum(there) };
  });
}
