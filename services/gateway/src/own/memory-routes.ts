// Routes of threads, messages and working memory.
import {
  API,
  MillraceError,
  jsonObjectSchema,
  keyAgentsSchema,
  messageSchema,
  threadIdSchema,
} from '@millrace/contracts';
import { z } from 'zod';
import { defineRoute, type OwnRoute } from './define-route.ts';

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});
const resourceSchema = threadIdSchema.optional().describe('owner; default: the subject of the key');

/** @throws thread-unknown */
const readThread = ({ thread = '' }: Readonly<Record<string, string>>): string => {
  if (threadIdSchema.safeParse(thread).success) return thread;
  throw new MillraceError('thread-unknown', 'The thread does not exist.');
};

/** A thread of another caller counts as unknown. */
const isUnknownThread = (error: unknown): boolean =>
  MillraceError.isInstance(error) && (error.code === 'thread-unknown' || error.code === 'thread-foreign');

export const MEMORY_ROUTES: readonly OwnRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/threads',
    id: 'listThreads',
    summary: 'Lists the threads of the caller, the newest first.',
    verb: 'threads-list',
    query: pageSchema.extend({ resourceId: resourceSchema }),
    answer: API['threads-list'].answer,
    handle: async ({ access, query: { resourceId = access.subject, ...page } }) =>
      (await access.connectClient()).threads.list({ ...page, resourceId }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads',
    id: 'createThread',
    summary: 'Creates a thread without messages.',
    verb: 'threads-create',
    body: API['threads-create'].request.extend({ agents: keyAgentsSchema.optional() }).strict(),
    answer: API['threads-create'].answer,
    status: 201,
    handle: async ({ access, body }) => (await access.connectClient()).threads.create(body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/search',
    id: 'searchThreads',
    summary:
      'Searches the messages of the caller by meaning: those that semantic recall has indexed. The nearest first.',
    verb: 'threads-search',
    body: API['threads-search'].request.strict(),
    answer: API['threads-search'].answer,
    handle: async ({ access, body: { query, ...of } }) => ({
      hits: await (await access.connectClient()).threads.search(query, of),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/{thread}',
    id: 'getThread',
    summary: 'Returns one thread.',
    verb: 'threads-get',
    answer: API['threads-get'].answer,
    handle: async ({ access, params }) => (await access.connectClient()).threads.get(readThread(params)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/{thread}/messages',
    id: 'listMessages',
    summary: 'Lists the messages of a thread in order, or its newest ones with `last`.',
    verb: 'messages-list',
    query: pageSchema.extend({
      last: z.coerce.number().int().min(1).max(1_000).optional(),
      include: z
        .string()
        .optional()
        .describe('ids of messages, separated by commas: at most 100. Other parts of a range are refused.'),
      missing: z
        .literal('empty')
        .optional()
        .describe('empty: an unknown thread has no messages. Default: it is an error.'),
    }),
    answer: API['messages-list'].answer,
    async handle({ access, params, query: { missing, include, ...range } }) {
      const query = { ...range, ...(include !== undefined && { include: include.split(',') }) };
      const client = await access.connectClient();
      try {
        const { messages, total } = await client.threads.messages(readThread(params), query);
        return { messages, total };
      } catch (error) {
        if (missing === 'empty' && isUnknownThread(error)) return { messages: [], total: 0 };
        throw error;
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/{thread}/newest-run',
    id: 'getNewestRun',
    summary: 'Returns the newest run of a thread, with its input as the processors of the input passed it.',
    verb: 'runs-newest',
    answer: API['runs-newest'].answer,
    handle: async ({ access, params }) => (await access.connectClient()).runs.newest(readThread(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/threads/{thread}',
    id: 'updateThread',
    summary: 'Sets the title of a thread, or replaces the metadata that a caller gave it.',
    verb: 'threads-update',
    body: API['threads-update'].request.omit({ threadId: true }).strict(),
    answer: API['threads-update'].answer,
    handle: async ({ access, params, body }) => (await access.connectClient()).threads.update(readThread(params), body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/threads/{thread}',
    id: 'deleteThread',
    summary: 'Deletes a thread with its messages, their vectors and its working memory.',
    verb: 'threads-delete',
    answer: API['threads-delete'].answer,
    async handle({ access, params }) {
      const threadId = readThread(params);
      return { threadId, messages: await (await access.connectClient()).threads.delete(threadId) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/{thread}/clone',
    id: 'cloneThread',
    summary: 'Copies a thread up to a message to a new thread.',
    verb: 'threads-clone',
    body: API['threads-clone'].request.omit({ threadId: true }).strict(),
    answer: API['threads-clone'].answer,
    status: 201,
    handle: async ({ access, params, body }) => (await access.connectClient()).threads.clone(readThread(params), body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/{thread}/truncate',
    id: 'truncateThread',
    summary: 'Deletes a message and all later ones, with their vectors, unless the thread has another last message.',
    verb: 'threads-truncate',
    body: API['threads-truncate'].request.omit({ threadId: true }).strict(),
    answer: API['threads-truncate'].answer,
    async handle({ access, params, body }) {
      const threadId = readThread(params);
      return { threadId, ...(await (await access.connectClient()).threads.truncate(threadId, body)) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/{thread}/messages',
    id: 'saveMessages',
    summary: 'Appends messages that no guard has judged.',
    verb: 'messages-save',
    body: z.strictObject({ messages: z.array(messageSchema).min(1).max(1_000), resourceId: resourceSchema }),
    answer: API['messages-save'].answer,
    async handle({ access, params, body: { messages, resourceId } }) {
      const threadId = readThread(params);
      const total = await (await access.connectOperator()).messages.save(threadId, messages, { resourceId });
      return { threadId, total };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/{thread}/messages/delete',
    id: 'deleteMessages',
    summary: 'Deletes messages of a thread and their vectors.',
    verb: 'messages-delete',
    body: z.strictObject({ ids: z.array(z.string().min(1).max(200)).min(1).max(1_000) }),
    answer: API['messages-delete'].answer,
    async handle({ access, params, body: { ids } }) {
      const threadId = readThread(params);
      return { threadId, ...(await (await access.connectClient()).messages.delete(threadId, ids)) };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/memory',
    id: 'setMemory',
    summary: 'Replaces a working memory, which no guard has judged.',
    verb: 'memory-set',
    query: z.object({ resourceId: resourceSchema, threadId: threadIdSchema.optional() }),
    body: z.strictObject({ memory: jsonObjectSchema.nullable(), version: z.number().int().min(0).optional() }),
    answer: API['memory-set'].answer,
    handle: async ({ access, query, body: { memory, version } }) =>
      (await access.connectOperator()).memory.set({ ...query, ...(version !== undefined && { version }) }, memory),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/memory',
    id: 'getMemory',
    summary: 'Returns the working memory of the caller, or of one of its threads.',
    verb: 'memory-get',
    query: z.object({ resourceId: resourceSchema, threadId: threadIdSchema.optional() }),
    answer: API['memory-get'].answer,
    async handle({ access, query }) {
      const { resourceId = query.threadId === undefined ? access.subject : undefined, threadId } = query;
      if (resourceId === undefined && threadId === undefined)
        throw new MillraceError('message-invalid', 'The request names no memory.', {
          path: 'resourceId',
          remedy: 'Add ?resourceId= or ?threadId=.',
        });
      return (await access.connectClient()).memory.get({ resourceId, threadId });
    },
  }),
];
