// Implements the public verbs on threads and their messages, for tenant and caller of the subject: an operator reads
// all threads of the tenant, every other caller those of its own resource.
import { MillraceError, isOperator, type ApiAnswer, type ApiRequest, type Message } from '@millrace/contracts';
import { isOwnResource, buildResourceOwner, requireOwnResource, type MemoryCaller } from '@millrace/stores';
import { createUnknownThreadError } from '../store/history-errors.ts';
import { createEditVerbs, type EditVerb } from './edit-verbs.ts';
import { findOwnedThread, type GetOwnThread } from './get-own-thread.ts';
import type { Forget } from '../store/forget-messages.ts';
import { READ_MAX_BYTES, type HistoryStore } from '../store/history-store.ts';

type ReadVerb = 'threads-list' | 'threads-get' | 'messages-list';
type Handlers<V extends ReadVerb | EditVerb> = {
  [K in V]: (request: ApiRequest<K>, call: MemoryCaller) => Promise<ApiAnswer<K>>;
};
export type HistoryApi = Handlers<ReadVerb | EditVerb>;

/** @param forget deletes the data that other services have derived from messages */
export function createHistoryApi(store: HistoryStore, forget: Forget): HistoryApi {
  /** A thread of another caller is unknown, like one that does not exist. */
  const getOwnThread = async (threadId: string, call: MemoryCaller) => {
    const { tenant } = call;
    const thread = await store.getThread({ tenant, threadId });
    if (await isOwnResource(call, thread.resourceId)) return thread;
    throw createUnknownThreadError({ tenant, threadId });
  };
  return { ...createReadVerbs(store, getOwnThread), ...createEditVerbs({ store, forget, getOwnThread }) };
}

function createReadVerbs(store: HistoryStore, getOwnThread: GetOwnThread): Handlers<ReadVerb> {
  return {
    'threads-list': async ({ resourceId, limit, offset }, call) => {
      await requireOwnResource(call, resourceId);
      const { tenant } = call;
      const owner = resourceId === undefined ? undefined : buildResourceOwner(resourceId);
      return cutPage(await store.listThreads({ tenant, owner }, { limit, offset }), offset);
    },
    'threads-get': ({ threadId }, call) => getOwnThread(threadId, call),
    'messages-list': async ({ threadId, limit, offset, last, include }, call) => {
      const { tenant, caller } = call;
      if (include) {
        if (last !== undefined || offset !== 0)
          throw createRangeError('`include` names messages, and `last` and `offset` a range', 'include');
        const { owned } = await findOwnedThread(getOwnThread, threadId, call);
        return cutIncluded(await store.findMessages(owned, [...new Set(include)]), include, limit);
      }
      if (!isOperator(caller)) await getOwnThread(threadId, call);
      if (last === undefined) return store.listMessages({ tenant, threadId }, { limit, offset });
      if (offset === 0) return store.listLastMessages({ tenant, threadId }, last);
      throw createRangeError('`last` counts from the end and `offset` from the start', 'offset');
    },
  };
}

const createRangeError = (problem: string, path: string): MillraceError =>
  new MillraceError('message-invalid', `${problem}: a request may have only one of them.`, {
    path,
    remedy: 'Leave one of them out.',
  });

/** Returns the messages in the order of the ids. */
function cutIncluded(found: readonly Message[], ids: readonly string[], limit: number): ApiAnswer<'messages-list'> {
  const byId = new Map(found.map((message) => [message.id, message]));
  const ordered = [...new Set(ids)].flatMap((id) => byId.get(id) ?? []).slice(0, limit);
  return { messages: cutToFit(ordered), total: found.length };
}

function cutPage({ threads, total }: ApiAnswer<'threads-list'>, offset: number): ApiAnswer<'threads-list'> {
  const fitting = cutToFit(threads);
  const next = offset + fitting.length;
  return { threads: fitting, total, ...(fitting.length > 0 && next < total && { next }) };
}

/** Returns the first items up to READ_MAX_BYTES of JSON, at least one. */
function cutToFit<T>(items: readonly T[]): T[] {
  let left = READ_MAX_BYTES;
  const end = items.findIndex((item, at) => (left -= Buffer.byteLength(JSON.stringify(item))) < 0 && at > 0);
  return items.slice(0, end === -1 ? items.length : end);
}
