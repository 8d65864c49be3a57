// The history store on Redis: what several replicas on several machines share. Writing and reading messages is one script each,
// so that a block is seen whole or not at all. Every time is this process's clock, and no order depends on one.
import { MillraceError, type Thread } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  checkBlock,
  saveSuperseded,
  storeUnavailable,
  threadForeign,
  threadUnknown,
} from '../../store/history-errors.ts';
import {
  DEFAULT_TITLE,
  MAX_BLOCK_MESSAGES,
  type HistoryStore,
  type MessagePage,
  type RunBlock,
  type ThreadRef,
} from '../../store/history-store.ts';
import { closeRedis } from './redis-connection.ts';
import { threadIndexKey, threadKeys } from './redis-keys.ts';
import { readMessage, writeMessage } from '../../store/stored-message.ts';
import { readThread } from '../../store/stored-thread.ts';

/** The scripts' answers. Redis gives an array that ends at the first nil, so a message without a body would be missed here. */
const saveReplySchema = z.union([
  z.tuple([z.literal('ok')]),
  z.tuple([z.literal('thread-foreign')]),
  z.tuple([z.literal('save-superseded'), z.coerce.number()]),
]);
const readReplySchema = z.union([
  z.tuple([z.literal('thread-unknown')]),
  z.tuple([z.literal('thread-foreign')]),
  z.tuple([z.literal('ok'), z.coerce.number()], z.string()),
]);

/** @param redis from connectRedis(); closed with the store */
export function createRedisHistoryStore(redis: Redis): HistoryStore {
  return {
    async recallLast(thread, count, signal) {
      if (count === 0) return [];
      const page = await readMessages(redis, thread, [-count, -1, thread.owner], signal);
      return page?.messages ?? [];
    },

    saveBlock: (block, signal) => saveBlock(redis, block, signal),

    async listMessages(thread, { limit, offset }, signal) {
      return known(thread, await readMessages(redis, thread, [offset, offset + limit - 1], signal));
    },

    async listLastMessages(thread, count, signal) {
      return known(thread, await readMessages(redis, thread, [-count, -1], signal));
    },

    async listThreads({ tenant, owner }, { limit, offset }, signal) {
      const index = threadIndexKey(tenant, owner);
      const [ids, total] = await answered('list threads', signal, () =>
        Promise.all([redis.zrange(index, offset, String(offset + limit - 1), 'REV'), redis.zcard(index)]),
      );
      const threads = await Promise.all(ids.map((threadId) => findThread(redis, { tenant, threadId }, signal)));
      return { threads: threads.filter((thread) => thread !== undefined), total };
    },

    async getThread(thread, signal) {
      return known(thread, await findThread(redis, thread, signal));
    },

    close: () => closeRedis(redis),
  };
}

async function saveBlock(redis: Redis, block: RunBlock, signal?: AbortSignal): Promise<void> {
  checkBlock(block);
  const { tenant, threadId, owner, runId, epoch, messages } = block;
  const { thread, order, bodies, runs } = threadKeys(block);
  const keys = [thread, order, bodies, runs, threadIndexKey(tenant), threadIndexKey(tenant, owner)];
  const args = [threadId, owner, runId, epoch, Date.now(), DEFAULT_TITLE, MAX_BLOCK_MESSAGES];
  const written = messages.flatMap((message) => [message.id, writeMessage(message)]);
  const reply = await answered('save', signal, () => redis.saveBlock(...keys, ...args, ...written));
  const outcome = saveReplySchema.parse(reply);
  if (outcome[0] === 'thread-foreign') throw threadForeign(block);
  if (outcome[0] === 'save-superseded') throw saveSuperseded(block, outcome[1]);
}

/** Undefined where there is no such thread. */
async function readMessages(
  redis: Redis,
  thread: ThreadRef,
  [first, last, owner]: [first: number, last: number, owner?: string],
  signal?: AbortSignal,
): Promise<MessagePage | undefined> {
  const { thread: key, order, bodies } = threadKeys(thread);
  const args = owner === undefined ? [first, last] : [first, last, owner];
  const reply = await answered('read messages', signal, () => redis.readMessages(key, order, bodies, ...args));
  const outcome = readReplySchema.parse(reply);
  if (outcome[0] === 'thread-unknown') return undefined;
  if (outcome[0] === 'thread-foreign') throw threadForeign({ threadId: thread.threadId, owner: owner ?? '' });
  const [, total, ...stored] = outcome;
  return { messages: stored.map(readMessage), total };
}

async function findThread(redis: Redis, thread: ThreadRef, signal?: AbortSignal): Promise<Thread | undefined> {
  const hash = await answered('read a thread', signal, () => redis.hgetall(threadKeys(thread).thread));
  return Object.keys(hash).length === 0 ? undefined : readThread(thread.threadId, hash);
}

function known<T>(thread: ThreadRef, found: T | undefined): T {
  if (found === undefined) throw threadUnknown(thread);
  return found;
}

/** Errors of the connection and of a server that cannot serve just now are `store-unavailable`, all others stay what they are. */
async function answered<T>(what: string, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await ask();
  } catch (error) {
    if (MillraceError.isInstance(error) || isOurMistake(error)) throw error;
    throw storeUnavailable(what, error);
  }
}

/** What a server that works says to a command that is wrong; LOADING, READONLY, OOM and the like pass with time. */
const MISTAKES = /^(ERR|WRONGTYPE|NOSCRIPT|CROSSSLOT)\b/;

function isOurMistake(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && MISTAKES.test(error.message);
}
