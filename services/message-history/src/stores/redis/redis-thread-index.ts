// The lists of threads on Redis: of an owner, and of a tenant in parts that are merged when somebody asks. They are other keys than
// the thread's, so they are written after its block; a save is answered when it is listed, and who was not answered saves again.
import type { Redis } from 'ioredis';
import type { Page, ThreadRef } from '../../store/history-store.ts';
import { indexKeysOf, threadIndexKeys } from './redis-keys.ts';

type Listed = { id: string; updatedAt: number };

/** Times of other replicas' clocks never take a thread back. */
export async function listThread(redis: Redis, thread: ThreadRef, owner: string, updatedAt: number): Promise<void> {
  const keys = indexKeysOf(thread, owner);
  await Promise.all(keys.map((key) => redis.zadd(key, 'GT', updatedAt, thread.threadId)));
}

/** The most recently updated first. Costs in proportion to offset + limit, in each part. */
export async function listedThreads(
  redis: Redis,
  { tenant, owner }: { tenant: string; owner?: string | undefined },
  { limit, offset }: Page,
): Promise<{ ids: string[]; total: number }> {
  const keys = threadIndexKeys(tenant, owner);
  const last = String(offset + limit - 1);
  const [counts, parts] = await Promise.all([
    Promise.all(keys.map((key) => redis.zcard(key))),
    Promise.all(keys.map((key) => redis.zrange(key, 0, last, 'REV', 'WITHSCORES'))),
  ]);
  const listed = parts.flatMap(pairs).toSorted(latestFirst);
  return {
    ids: listed.slice(offset, offset + limit).map(({ id }) => id),
    total: counts.reduce((sum, count) => sum + count, 0),
  };
}

function pairs(flat: readonly string[]): Listed[] {
  return flat.flatMap((id, at) => (at % 2 === 0 ? [{ id, updatedAt: Number(flat[at + 1]) }] : []));
}

/** Within one moment as Redis orders: by the bytes of the id. */
function latestFirst(a: Listed, b: Listed): number {
  return b.updatedAt - a.updatedAt || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id));
}
