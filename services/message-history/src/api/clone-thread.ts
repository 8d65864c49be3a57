// Copies a thread to a new one of its owner: one read of the messages, and one block that begins the new thread.
import { MillraceError, type ApiAnswer, type ApiRequest, type Message } from '@millrace/contracts';
import { chooseMemoryOwner, type MemoryCaller } from '@millrace/stores';
import type { HistoryStore } from '../store/history-store.ts';
import { readAgents, readOwnMetadata } from '../store/stored-thread.ts';
import type { GetOwnThread } from './get-own-thread.ts';

/** Maximum number of messages of a clone, and of their bytes of JSON. */
const MAX_CLONED = 1_000;
const MAX_CLONED_BYTES = 4 * 1024 * 1024;

type ThreadClone = (request: ApiRequest<'threads-clone'>, call: MemoryCaller) => Promise<ApiAnswer<'threads-clone'>>;

export function createThreadClone(store: HistoryStore, getOwnThread: GetOwnThread): ThreadClone {
  return async ({ threadId, upTo, newThreadId = crypto.randomUUID() }, call) => {
    const { tenant } = call;
    await getOwnThread(threadId, call);
    const range = { limit: MAX_CLONED, offset: 0, maxBytes: MAX_CLONED_BYTES };
    const { messages: read, total } = await store.listMessages({ tenant, threadId }, range);
    const messages = cutMessages(threadId, read, total, upTo);
    // Read after the messages: the list has the agents of all of them.
    const thread = await getOwnThread(threadId, call);
    const { resourceId, title } = thread;
    const place = { threadId: newThreadId, ...(resourceId !== undefined && { resourceId }) };
    const owned = { tenant, threadId: newThreadId, owner: chooseMemoryOwner(place) };
    await store.saveBlock({
      ...owned,
      // No run has this id: ids of runs are tokens.
      runId: `clone:${threadId}:${upTo ?? ''}`,
      epoch: 1,
      messages: messages.map((message) => ({ ...message, ...place })),
      begins: { title, metadata: readOwnMetadata(thread), agents: readAgents(thread) },
    });
    // An erasure or a deletion that did not find the clone must not leave its messages behind.
    await getOwnThread(threadId, call).catch(async (error: unknown) => {
      await store.deleteThread(owned);
      throw error;
    });
    return getOwnThread(newThreadId, call);
  };
}

/** @throws message-invalid */
function cutMessages(threadId: string, read: Message[], total: number, upTo: string | undefined): Message[] {
  const end = upTo === undefined ? total : read.findIndex(({ id }) => id === upTo) + 1;
  if (end > 0 && end <= read.length) return read.slice(0, end);
  if (end === 0 && upTo === undefined) return [];
  if (read.length < total)
    throw new MillraceError('message-invalid', `The clone of thread "${threadId}" exceeds a bound.`, {
      path: 'upTo',
      remedy: `Name one of the first ${MAX_CLONED} messages, of at most ${MAX_CLONED_BYTES} bytes together.`,
    });
  throw new MillraceError('message-invalid', `Thread "${threadId}" has no message "${upTo}".`, {
    path: 'upTo',
    remedy: '`messages-list` lists the messages of the thread.',
  });
}
