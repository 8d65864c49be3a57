// Updates and deletes threads and messages on Redis. The lists of threads are in other slots than the thread: a deletion
// first empties the thread, then takes it off the lists, then drops it, so that a killed process leaves no message and
// no listed thread that does not exist.
import { DEFAULT_THREAD_TITLE, MillraceError } from '@millrace/contracts';
import { RUN_MARK_TTL_MS, readScript, runScript, storeCalls } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { STORE, createTailConflict, createUnknownThreadError } from '../../store/history-errors.ts';
import type { HistoryRun, OwnedThread, ThreadEdits } from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import { listIndexKeys, listThreadKeys } from './redis-keys.ts';
import { listThread, unlistThread } from './redis-thread-index.ts';

const answered = storeCalls(STORE);
const script = readScript(new URL('./edit-thread.lua', import.meta.url));
const replySchema = z.union([
  z.tuple([z.literal('thread-unknown')]),
  z.tuple([z.literal('conflict'), z.string()]),
  z.tuple([z.literal('ok'), z.coerce.number()]),
]);

/** Another deletion has dropped the thread in between. */
function ignoreUnknown(error: unknown): undefined {
  if (!MillraceError.isInstance(error) || error.code !== 'thread-unknown') throw error;
}

/**
 * A save may have listed the emptied thread, or have begun the thread again, also for another owner: only a thread that
 * exists stays listed.
 */
async function relistThread(redis: Redis, thread: OwnedThread): Promise<void> {
  const list = async () => {
    const [owner, updatedAt] = await redis.hmget(listThreadKeys(thread).thread, 'owner', 'updatedAt');
    if (typeof owner === 'string') await listThread(redis, thread, owner, Number(updatedAt));
    return typeof owner === 'string';
  };
  if (await list()) return;
  await unlistThread(redis, thread, thread.owner);
  await list();
}

export function createRedisThreadEdits(redis: Redis): ThreadEdits {
  const edit = async (thread: OwnedThread, signal: AbortSignal | undefined, ...change: string[]): Promise<number> => {
    const { thread: key, order, bodies, runs } = listThreadKeys(thread);
    const reply = await answered('change a thread', signal, () =>
      runScript(redis, script, [key, order, bodies, runs], [thread.owner, ...change]),
    );
    const parsed = replySchema.parse(reply);
    if (parsed[0] === 'thread-unknown') throw createUnknownThreadError(thread);
    if (parsed[0] === 'conflict')
      throw createTailConflict(thread.threadId, change.at(-1) ?? '', parsed[1] === '' ? undefined : parsed[1]);
    return parsed[1];
  };
  const deleteThread: ThreadEdits['deleteThread'] = async (thread, signal) => {
    const count = await edit(thread, signal, 'empty');
    await answered('take a thread off the lists', signal, () => unlistThread(redis, thread, thread.owner));
    await edit(thread, signal, 'drop').catch(ignoreUnknown);
    await answered('take a thread off the lists', signal, () => relistThread(redis, thread));
    return count;
  };
  return {
    async nameThread(thread, title, signal) {
      await edit(thread, signal, 'name', title, DEFAULT_THREAD_TITLE);
    },
    async updateThread(thread, { title, metadata }, signal) {
      const fields = { ...(title !== undefined && { title }), ...(metadata && { own: JSON.stringify(metadata) }) };
      await edit(thread, signal, 'update', ...Object.entries(fields).flat());
    },
    deleteThread,
    async findMessages(thread, ids, signal) {
      const { thread: key, bodies } = listThreadKeys(thread);
      const [owner, stored] = await answered('read messages', signal, () =>
        Promise.all([redis.hget(key, 'owner'), ids.length === 0 ? [] : redis.hmget(bodies, ...ids)]),
      );
      if (owner !== thread.owner) throw createUnknownThreadError(thread);
      return stored.flatMap((body) => (body === null ? [] : [readMessage(body)]));
    },
    deleteMessages: (thread, ids, signal) => edit(thread, signal, 'delete', ...ids),
    async findTail(thread, from, limit, signal) {
      const { thread: key, order } = listThreadKeys(thread);
      const [owner, first, last] = await answered('read messages', signal, () =>
        Promise.all([redis.hget(key, 'owner'), redis.zscore(order, from), redis.zrange(order, '-1', '-1')]),
      );
      if (owner !== thread.owner) throw createUnknownThreadError(thread);
      if (first === null) return { ids: [], last: last[0] };
      const ids = await answered('read messages', signal, () =>
        redis.zrangebyscore(order, first, '+inf', 'LIMIT', 0, limit),
      );
      return { ids, last: last[0] };
    },
    truncateThread: (thread, { from, last }, signal) => edit(thread, signal, 'truncate', from, last),
    async eraseOwner({ tenant, owner }, runs, signal) {
      await fenceRuns(redis, tenant, runs, signal);
      const listOwn = async () =>
        await answered('list threads', signal, () => redis.zrange(listIndexKeys(tenant, owner)[0] ?? '', '0', '-1'));
      // A thread that a killed process has not listed is known by its run only.
      const threads = new Set([...(await listOwn()), ...runs.map(({ threadId }) => threadId)]);
      let deleted = 0;
      for (const threadId of threads) {
        const thread = { tenant, threadId, owner };
        deleted += (await deleteThread(thread, signal).catch(ignoreUnknown)) ?? 0;
        await answered('take a thread off the lists', signal, () => relistThread(redis, thread));
      }
      return { deleted, left: (await listOwn()).length };
    },
  };
}

/** Rejects later saves of the runs: save-block.lua reads the entries in the same script as it writes. */
async function fenceRuns(
  redis: Redis,
  tenant: string,
  runs: readonly HistoryRun[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const until = Date.now() + RUN_MARK_TTL_MS;
  for (const { threadId, runId } of runs) {
    const { erased } = listThreadKeys({ tenant, threadId });
    await answered('fence a run', signal, () =>
      Promise.all([redis.zadd(erased, until, runId), redis.pexpire(erased, RUN_MARK_TTL_MS)]),
    );
  }
}
