// Lists of threads on Redis: one per owner, and one per tenant in parts that a read merges. Their keys are in other
// slots than the thread's, so they are written after its block. A save is acknowledged after the thread is listed; a
// caller without an acknowledgement saves again.
import type { Redis } from 'ioredis';
import type { ListRange, ThreadRef } from '../../store/history-store.ts';
import { findIndexKeys, listIndexKeys, listThreadKeys } from './redis-keys.ts';

type ListedThread = { id: string; updatedAt: number };

/**
 * Lists a thread that exists. A deletion may take it off the lists at any time, so its existence is read after each
 * change of the lists, on the same connection, until both agree. A slower clock of another replica never lowers a
 * thread's time.
 */
export async function listThread(redis: Redis, thread: ThreadRef, owner: string, updatedAt: number): Promise<void> {
  const keys = findIndexKeys(thread, owner);
  const exists = async () => (await redis.exists(listThreadKeys(thread).thread)) === 1;
  for (;;) {
    const listing = keys.map((key) => redis.zadd(key, 'GT', updatedAt, thread.threadId));
    const [isThere] = await Promise.all([exists(), ...listing]);
    if (isThere) return;
    await unlistThread(redis, thread, owner);
    if (!(await exists())) return;
  }
}

export async function unlistThread(redis: Redis, thread: ThreadRef, owner: string): Promise<void> {
  await Promise.all(findIndexKeys(thread, owner).map((key) => redis.zrem(key, thread.threadId)));
}

/** Returns the most recently updated threads first. The cost grows with offset plus limit, in each part. */
export async function readListedThreads(
  redis: Redis,
  { tenant, owner }: { tenant: string; owner?: string | undefined },
  { limit, offset }: ListRange,
): Promise<{ ids: string[]; total: number }> {
  const keys = listIndexKeys(tenant, owner);
  const last = String(offset + limit - 1);
  const [counts, parts] = await Promise.all([
    Promise.all(keys.map((key) => redis.zcard(key))),
    Promise.all(keys.map((key) => redis.zrange(key, 0, last, 'REV', 'WITHSCORES'))),
  ]);
  const listed = parts.flatMap(parsePairs).toSorted(compareLatestFirst);
  return {
    ids: listed.slice(offset, offset + limit).map(({ id }) => id),
    total: counts.reduce((sum, count) => sum + count, 0),
  };
}

function parsePairs(flat: readonly string[]): ListedThread[] {
  return flat.flatMap((id, at) => (at % 2 === 0 ? [{ id, updatedAt: Number(flat[at + 1]) }] : []));
}

/** Within one millisecond Redis orders by the bytes of the id. */
function compareLatestFirst(a: ListedThread, b: ListedThread): number {
  return b.updatedAt - a.updatedAt || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id));
}
