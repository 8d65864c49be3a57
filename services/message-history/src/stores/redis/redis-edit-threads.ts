// Renames and deletes threads and messages on Redis. The lists of threads are in other slots than the thread: a deletion
// first empties the thread, then takes it off the lists, then drops it, so that a killed process leaves no message and
// no listed thread that does not exist.
import { MillraceError } from '@millrace/contracts';
import { readScript, runScript, storeCalls } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { STORE, threadUnknown } from '../../store/history-errors.ts';
import type { HistoryStore, OwnedThread } from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import { listThreadKeys } from './redis-keys.ts';
import { listThread, unlistThread } from './redis-thread-index.ts';

type ThreadEdits = Pick<HistoryStore, 'renameThread' | 'deleteThread' | 'findMessages' | 'deleteMessages'>;
const answered = storeCalls(STORE);
const script = readScript(new URL('./edit-thread.lua', import.meta.url));
const replySchema = z.union([z.tuple([z.literal('thread-unknown')]), z.tuple([z.literal('ok'), z.coerce.number()])]);

/** Another deletion has dropped the thread in between. */
function ignoreUnknown(error: unknown): void {
  if (!MillraceError.isInstance(error) || error.code !== 'thread-unknown') throw error;
}

/** A save may have listed the emptied thread, or have begun the thread again: only a thread that exists stays listed. */
async function relistThread(redis: Redis, thread: OwnedThread): Promise<void> {
  await unlistThread(redis, thread, thread.owner);
  const [owner, updatedAt] = await redis.hmget(listThreadKeys(thread).thread, 'owner', 'updatedAt');
  if (owner === thread.owner) await listThread(redis, thread, thread.owner, Number(updatedAt));
}

export function createRedisThreadEdits(redis: Redis): ThreadEdits {
  const edit = async (thread: OwnedThread, signal: AbortSignal | undefined, ...change: string[]): Promise<number> => {
    const { thread: key, order, bodies, runs } = listThreadKeys(thread);
    const reply = await answered('change a thread', signal, () =>
      runScript(redis, script, [key, order, bodies, runs], [thread.owner, ...change]),
    );
    const [outcome, count] = replySchema.parse(reply);
    if (outcome === 'thread-unknown') throw threadUnknown(thread);
    return count;
  };
  return {
    async renameThread(thread, title, signal) {
      await edit(thread, signal, 'rename', title);
    },
    async deleteThread(thread, signal) {
      const count = await edit(thread, signal, 'empty');
      await answered('take a thread off the lists', signal, () => unlistThread(redis, thread, thread.owner));
      await edit(thread, signal, 'drop').catch(ignoreUnknown);
      await answered('take a thread off the lists', signal, () => relistThread(redis, thread));
      return count;
    },
    async findMessages(thread, ids, signal) {
      const { thread: key, bodies } = listThreadKeys(thread);
      const [owner, stored] = await answered('read messages', signal, () =>
        Promise.all([redis.hget(key, 'owner'), ids.length === 0 ? [] : redis.hmget(bodies, ...ids)]),
      );
      if (owner !== thread.owner) throw threadUnknown(thread);
      return stored.flatMap((body) => (body === null ? [] : [readMessage(body)]));
    },
    deleteMessages: (thread, ids, signal) => edit(thread, signal, 'delete', ...ids),
  };
}
