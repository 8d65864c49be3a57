// The history store on Redis, shared by replicas on several machines. One script writes messages and one reads them, so
// that readers see complete blocks only. Times are those of this process's clock; no order depends on them.
import type { Thread } from '@millrace/contracts';
import { closeRedis, readScript, runScript, saveSuperseded, storeCalls } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  checkBlock,
  checkDepth,
  STORE,
  createExistingThreadError,
  createForeignThreadError,
  createUnknownThreadError,
} from '../../store/history-errors.ts';
import {
  READ_MAX_BYTES,
  type HistoryStore,
  type MessagePage,
  type HistoryBlock,
  type ThreadRef,
} from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import { readThread } from '../../store/stored-thread.ts';
import { createRedisThreadEdits } from './redis-edit-threads.ts';
import { saveRedisBlock } from './redis-save-block.ts';
import { listThreadKeys } from './redis-keys.ts';
import { readListedThreads, listThread } from './redis-thread-index.ts';

const answered = storeCalls(STORE);
const readScriptFile = readScript(new URL('./read-messages.lua', import.meta.url));

/** Reply of the script. Redis ends an array at the first nil, so a message without a body is detected here. */
const readReplySchema = z.union([
  z.tuple([z.literal('thread-unknown')]),
  z.tuple([z.literal('thread-foreign')]),
  z.tuple([z.literal('ok'), z.coerce.number(), z.coerce.number()], z.string()),
]);

/** @param redis from connectRedis(); closed with the store */
export function createRedisHistoryStore(redis: Redis): HistoryStore {
  return {
    async recallLast(thread, count, signal) {
      if (count === 0) return { messages: [], leftOut: 0 };
      const span = { first: -count, last: -1, from: 'newest', take: 'fitting', owner: thread.owner } as const;
      return (await readMessages(redis, thread, span, signal)) ?? { messages: [], leftOut: 0 };
    },

    saveBlock: (block, signal) => saveBlock(redis, block, signal),

    async listMessages(thread, { limit, offset, maxBytes }, signal) {
      const span = { first: offset, last: offset + limit - 1, from: 'oldest', take: 'all', maxBytes } as const;
      return requireThread(thread, await readMessages(redis, thread, span, signal));
    },

    async listLastMessages(thread, count, signal) {
      const span = { first: -count, last: -1, from: 'newest', take: 'all' } as const;
      return requireThread(thread, await readMessages(redis, thread, span, signal));
    },

    async listThreads({ tenant, owner }, page, signal) {
      checkDepth(page);
      const { ids, total } = await answered('list threads', signal, () =>
        readListedThreads(redis, { tenant, owner }, page),
      );
      const threads = await Promise.all(ids.map((threadId) => findThread(redis, { tenant, threadId }, signal)));
      return { threads: threads.filter((thread) => thread !== undefined), total };
    },

    async getThread(thread, signal) {
      return requireThread(thread, await findThread(redis, thread, signal));
    },

    ...createRedisThreadEdits(redis),

    close: () => closeRedis(redis),
  };
}

async function saveBlock(redis: Redis, block: HistoryBlock, signal?: AbortSignal): Promise<void> {
  checkBlock(block);
  const saved = await answered('save', signal, () => saveRedisBlock(redis, block, Date.now()));
  switch (saved.outcome) {
    case 'thread-foreign':
      throw createForeignThreadError(block);
    case 'thread-exists':
      throw createExistingThreadError(block);
    case 'save-superseded':
      throw saveSuperseded(block, saved.epoch);
    case 'ok':
      return answered('list the thread', signal, () => listThread(redis, block, block.owner, saved.updatedAt));
    case 'nothing':
  }
}

type BlockSpan = {
  first: number;
  last: number;
  from: 'oldest' | 'newest';
  take: 'all' | 'fitting';
  owner?: string;
  maxBytes?: number | undefined;
};
type ReadScript = MessagePage & { leftOut: number };

/** Returns undefined if the thread does not exist. */
async function readMessages(
  redis: Redis,
  thread: ThreadRef,
  { first, last, from, take, owner, maxBytes = READ_MAX_BYTES }: BlockSpan,
  signal: AbortSignal | undefined,
): Promise<ReadScript | undefined> {
  const { thread: key, order, bodies } = listThreadKeys(thread);
  const args = [first, last, from, maxBytes, take, ...(owner === undefined ? [] : [owner])];
  const reply = await answered('read messages', signal, () =>
    runScript(redis, readScriptFile, [key, order, bodies], args),
  );
  const outcome = readReplySchema.parse(reply);
  if (outcome[0] === 'thread-unknown') return undefined;
  if (outcome[0] === 'thread-foreign')
    throw createForeignThreadError({ threadId: thread.threadId, owner: owner ?? '' });
  const [, total, leftOut, ...stored] = outcome;
  return { messages: stored.map(readMessage), total, leftOut };
}

async function findThread(redis: Redis, thread: ThreadRef, signal?: AbortSignal): Promise<Thread | undefined> {
  const hash = await answered('read a thread', signal, () => redis.hgetall(listThreadKeys(thread).thread));
  return Object.keys(hash).length === 0 ? undefined : readThread(thread.threadId, hash);
}

function requireThread<T>(thread: ThreadRef, found: T | undefined): T {
  if (found === undefined) throw createUnknownThreadError(thread);
  return found;
}
