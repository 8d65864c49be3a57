// Implements the verbs that change threads and their messages. A deletion first deletes the data that
// other services have derived from the messages: if a process is lost in between, the messages are still stored, and the caller can repeat
// the deletion.
import { createHash } from 'node:crypto';
import {
  DEFAULT_THREAD_TITLE,
  MillraceError,
  labelSubmitted,
  type ApiAnswer,
  type ApiRequest,
  type Message,
} from '@millrace/contracts';
import { chooseMemoryOwner, requireOwnResource, type MemoryCaller } from '@millrace/stores';
import { createTailConflict } from '../store/history-errors.ts';
import type { HistoryStore, OwnedThread } from '../store/history-store.ts';
import { createThreadClone } from './clone-thread.ts';
import { findOwnedThread, type GetOwnThread } from './get-own-thread.ts';
import { forgetMessages, splitIds, type Forget } from '../store/forget-messages.ts';
import { recordJudges } from '../store/stored-message.ts';

export type EditVerb =
  | 'threads-create'
  | 'threads-update'
  | 'threads-clone'
  | 'threads-delete'
  | 'threads-truncate'
  | 'messages-save'
  | 'messages-delete';
type EditParts = { store: HistoryStore; forget: Forget; getOwnThread: GetOwnThread };
type EditVerbs = { [V in EditVerb]: (request: ApiRequest<V>, call: MemoryCaller) => Promise<ApiAnswer<V>> };

export function createEditVerbs({ store, forget, getOwnThread }: EditParts): EditVerbs {
  const findOwned = (threadId: string, call: MemoryCaller) => findOwnedThread(getOwnThread, threadId, call);
  const countMessages = async ({ tenant, threadId }: OwnedThread) =>
    (await store.getThread({ tenant, threadId })).messageCount;
  return {
    'threads-create': async (request, call) => {
      const {
        threadId = crypto.randomUUID(),
        resourceId,
        title = DEFAULT_THREAD_TITLE,
        metadata = {},
        agents,
      } = request;
      await requireOwnResource(call, resourceId);
      const owned = { tenant: call.tenant, threadId, owner: chooseMemoryOwner({ threadId, resourceId }) };
      const begins = { title, metadata, agents };
      // No run has this id. A repeated request has the same one, and a different request another.
      const runId = `create:${createHash('sha256').update(JSON.stringify(begins)).digest('base64url')}`;
      await store.saveBlock({ ...owned, runId, epoch: 1, messages: [], begins });
      return getOwnThread(threadId, call);
    },
    'threads-update': async ({ threadId, title, metadata }, call) => {
      if (title === undefined && metadata === undefined) throw createEmptyUpdateError();
      const { owned } = await findOwned(threadId, call);
      await store.updateThread(owned, { title, metadata });
      return getOwnThread(threadId, call);
    },
    'threads-clone': createThreadClone(store, getOwnThread),
    'threads-delete': async ({ threadId }, call) => {
      const { place, owned } = await findOwned(threadId, call);
      await forget({ what: 'thread', ...place });
      return { threadId, messages: await store.deleteThread(owned) };
    },
    'threads-truncate': async ({ threadId, from, last }, call) => {
      const { place, owned } = await findOwned(threadId, call);
      const tail = await store.findTail(owned, from, MAX_TRUNCATED + 1);
      if (tail.last !== last) throw createTailConflict(threadId, last, tail.last);
      checkTail(threadId, from, tail.ids);
      for (const some of splitIds(tail.ids)) await forgetMessages(forget, place, await store.findMessages(owned, some));
      const deleted = await store.truncateThread(owned, { from, last });
      return { threadId, deleted, total: await countMessages(owned) };
    },
    'messages-delete': async ({ threadId, ids }, call) => {
      const { place, owned } = await findOwned(threadId, call);
      let deleted = 0;
      for (const some of splitIds([...new Set(ids)])) {
        await forgetMessages(forget, place, await store.findMessages(owned, some));
        deleted += await store.deleteMessages(owned, some);
      }
      return { threadId, deleted, total: await countMessages(owned) };
    },
    'messages-save': async (request, { tenant }) => {
      const { threadId, messages, saveId = crypto.randomUUID() } = request;
      checkMessages(messages);
      const resourceId = request.resourceId ?? (await findResource(store, { tenant, threadId }));
      const place = { threadId, ...(resourceId !== undefined && { resourceId }) };
      const owned = { tenant, threadId, owner: chooseMemoryOwner(place) };
      // No run has this id: ids of runs are tokens.
      const saved = messages.map((message) => ({ ...recordJudges(labelSubmitted(message), []), ...place }));
      await store.saveBlock({ ...owned, runId: `save:${saveId}`, epoch: 1, messages: saved });
      return { threadId, total: await countMessages(owned) };
    },
  };
}

const createEmptyUpdateError = (): MillraceError =>
  new MillraceError('message-invalid', 'The update of a thread has neither a title nor metadata.', {
    path: 'title',
    remedy: 'Set `title`, `metadata` or both.',
  });

/** Maximum number of messages that one request cuts off. */
const MAX_TRUNCATED = 1_000;

/** @throws message-invalid */
function checkTail(threadId: string, from: string, ids: readonly string[]): void {
  if (ids.length > MAX_TRUNCATED)
    throw new MillraceError(
      'message-invalid',
      `Thread "${threadId}" has more than ${MAX_TRUNCATED} messages from "${from}" on.`,
      {
        path: 'from',
        remedy: 'Cut the thread at a later message first.',
      },
    );
  if (ids.length === 0)
    throw new MillraceError('message-invalid', `Thread "${threadId}" has no message "${from}".`, {
      path: 'from',
      remedy: '`messages-list` lists the messages of the thread.',
    });
}

/** Returns the resource of a thread; undefined for a thread without one, or an unknown one. */
async function findResource(
  store: HistoryStore,
  thread: { tenant: string; threadId: string },
): Promise<string | undefined> {
  try {
    return (await store.getThread(thread)).resourceId;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'thread-unknown') return undefined;
    throw error;
  }
}

/** @throws message-invalid for a system message, or two messages with one id */
function checkMessages(messages: readonly Message[]): void {
  const ids = new Set<string>();
  for (const [at, { id, role }] of messages.entries()) {
    if (role === 'system')
      throw new MillraceError('message-invalid', 'A thread stores no system messages.', {
        path: `messages[${at}].role`,
        remedy: 'Set the instructions of the agent instead.',
      });
    if (ids.has(id))
      throw new MillraceError('message-invalid', `Two messages have the id "${id}".`, {
        path: `messages[${at}].id`,
        remedy: 'Give each message an id of its own.',
      });
    ids.add(id);
  }
}
