// Defines the public verbs of threads, messages and working memory.
import { z } from 'zod';
import { keyAgentsSchema } from './identity.ts';
import { MAX_VALUE_NESTING, isNestedDeeper, jsonObjectSchema, type JsonObject } from '../base/json.ts';
import { messageSchema } from '../message/message.ts';
import { threadIdSchema } from '../run/run.ts';
import { tokenSchema } from '../base/tokens.ts';
import { defineVerb } from './verb.ts';

/** Title of a thread without a name. */
export const DEFAULT_THREAD_TITLE = 'New Conversation';

export const threadSchema = z.object({
  id: z.string(),
  resourceId: z.string().optional().describe('Default: the thread itself.'),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastMessageAt: z.string().optional(),
  messageCount: z.number().int().min(0),
  metadata: jsonObjectSchema
    .default({})
    .describe('members of the caller, and `agents`: those of the runs that the thread stores'),
});
export type Thread = z.infer<typeof threadSchema>;

const count = z.number().int().min(0);
const ofThread = z.object({ threadId: threadIdSchema });
/** Maximum length of the title of a thread, in UTF-16 code units. */
export const MAX_THREAD_TITLE = 200;
const titleSchema = z.string().min(1).max(MAX_THREAD_TITLE);
/** Maximum size of the metadata that a caller gives a thread, in bytes of JSON. */
const MAX_THREAD_METADATA = 4_096;
const findMetadataProblem = (metadata: JsonObject): string | undefined => {
  if (Object.hasOwn(metadata, 'agents')) return 'must not have the member `agents`, which the history writes';
  if (isNestedDeeper(metadata, MAX_VALUE_NESTING)) return `must have at most ${MAX_VALUE_NESTING} levels`;
  const isLarge = new TextEncoder().encode(JSON.stringify(metadata)).length > MAX_THREAD_METADATA;
  return isLarge ? `must have at most ${MAX_THREAD_METADATA} bytes of JSON` : undefined;
};
const ownMetadataSchema = jsonObjectSchema
  .superRefine((metadata, context) => {
    const problem = findMetadataProblem(metadata);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe(`at most ${MAX_THREAD_METADATA} bytes of JSON, without \`agents\`; no prompt contains it`);
const titled = { title: titleSchema.optional(), metadata: ownMetadataSchema.optional() };
const memoryAddress = {
  resourceId: threadIdSchema.optional(),
  threadId: threadIdSchema
    .optional()
    .describe(
      'alone: the memory of a thread without a resource; with a resource: the thread’s own memory (scope thread)',
    ),
};
const messageIdSchema = z.string().min(1).max(200);
/** Maximum number of messages that a request names by their ids. */
const MAX_INCLUDED = 100;
/** Page size of a list, with its bounds. */
const page = { limit: z.number().int().min(1).max(1_000).default(100), offset: z.number().int().min(0).default(0) };

/** Maximum length of a query, in UTF-16 code units: of a message, as many are embedded. */
const MAX_QUERY_CHARS = 4_000;

const foundMessageSchema = z.object({
  messageId: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string().describe('the first 4,000 UTF-16 code units of the message'),
  createdAt: z.string().describe('ISO 8601'),
});
const neighbours = z.array(foundMessageSchema).optional();
const searchHitSchema = foundMessageSchema.extend({
  threadId: z.string(),
  score: z.number().describe('cosine similarity, -1 to 1'),
  previous: neighbours.describe('the messages before it in its thread that are no hits, oldest first'),
  next: neighbours.describe('the messages after it, oldest first'),
});

/** Maximum number of messages of one answer of a search, with their neighbours. */
export const MAX_SEARCH_MESSAGES = 50;
const neighbourCount = z.number().int().min(0).max(20).default(0);
const searchRequestSchema = z.object({
  ...memoryAddress,
  query: z.string().trim().min(1).max(MAX_QUERY_CHARS),
  limit: z.number().int().min(1).max(MAX_SEARCH_MESSAGES).default(10),
  threshold: z.number().min(-1).max(1).optional().describe('minimum score; default: none'),
  withPrevious: neighbourCount.describe('messages before each hit; with their neighbours the hits are at most 50'),
  withNext: neighbourCount.describe('messages after each hit'),
});

export const MEMORY_API = {
  /** Lists threads. A page may hold fewer threads than `limit` if more would exceed the message size. */
  'threads-list': defineVerb(
    { owner: 'message-history', scope: 'read', shows: ['agents'] },
    z.object({ resourceId: threadIdSchema.optional(), ...page }),
    z.object({
      threads: z.array(threadSchema),
      total: z.number().int(),
      next: count.optional().describe('`offset` of the next page; absent: it was the last'),
    }),
  ),
  'threads-get': defineVerb({ owner: 'message-history', scope: 'read', shows: ['agents'] }, ofThread, threadSchema),
  /**
   * Lists messages. A page may hold fewer messages than `limit` if more would exceed the message size; the next page
   * starts after them. With `include` it returns the messages with these ids, in their order, and `total` counts those that exist.
   */
  'messages-list': defineVerb(
    { owner: 'message-history', scope: 'read', shows: ['names'] },
    ofThread.extend({
      ...page,
      last: z.number().int().min(1).max(1_000).optional(),
      include: z.array(messageIdSchema).min(1).max(MAX_INCLUDED).optional().describe('ids of messages'),
    }),
    z.object({ messages: z.array(messageSchema), total: z.number().int() }),
  ),
  /**
   * Searches the messages of a resource, of one of its threads, or of a thread without a resource, by meaning: those
   * that semantic recall has indexed. The nearest first.
   */
  'threads-search': defineVerb(
    { owner: 'semantic-recall', scope: 'read' },
    searchRequestSchema,
    z.object({ hits: z.array(searchHitSchema) }),
  ),
  /**
   * Creates a thread without messages. Within 24 hours a repeated request has no further effect.
   * @throws state-conflict if the thread exists, thread-foreign if it has another owner
   */
  'threads-create': defineVerb(
    { owner: 'message-history', scope: 'run', shows: ['agents'] },
    z.object({
      threadId: threadIdSchema.optional().describe('default: a new id'),
      resourceId: threadIdSchema
        .optional()
        .describe('owner, required unless the caller is an operator; default: the thread itself'),
      ...titled,
      agents: keyAgentsSchema
        .default([])
        .describe('first entries of `metadata.agents`: a key that is limited to other agents does not find the thread'),
    }),
    threadSchema,
  ),
  /**
   * Copies a thread to a new one of the same owner, with title, metadata and list of agents. Within 24 hours a repeated request has the same effect.
   * @throws message-invalid if the thread has no message `upTo`, or more messages or bytes than the bound; state-conflict if the new thread exists
   */
  'threads-clone': defineVerb(
    { owner: 'message-history', scope: 'run', shows: ['agents'] },
    ofThread.extend({
      upTo: messageIdSchema.optional().describe('id of the last message to copy; default: that of the thread'),
      newThreadId: threadIdSchema.optional().describe('default: a new id'),
    }),
    threadSchema,
  ),
  /** Sets the title of a thread, or replaces the metadata that a caller gave it, or both. `metadata.agents` stays. */
  'threads-update': defineVerb(
    { owner: 'message-history', scope: 'run', shows: ['agents'] },
    ofThread.extend(titled),
    threadSchema,
  ),
  /**
   * Deletes a thread: its messages, the vectors of its messages and its own working memory. A run that ends later
   * begins the thread again.
   */
  'threads-delete': defineVerb(
    { owner: 'message-history', scope: 'run', once: true },
    ofThread,
    z.object({ threadId: z.string(), messages: count }),
  ),
  /**
   * Appends messages to a thread, which begins with them if it does not exist. No guard judges them, and semantic recall
   * does not index them. The text of a user is trusted, everything else is untrusted. Roles: user, assistant and tool.
   */
  'messages-save': defineVerb(
    { owner: 'message-history', scope: 'operate' },
    ofThread.extend({
      resourceId: threadIdSchema
        .optional()
        .describe('owner of a new thread, required unless the caller is an operator; default: the thread itself'),
      messages: z.array(messageSchema).min(1).max(1_000),
      saveId: tokenSchema
        .optional()
        .describe(
          'chosen by the caller: within 24 hours a request with the same id replaces the messages of the first',
        ),
    }),
    z.object({ threadId: z.string(), total: count.describe('number of messages of the thread') }),
  ),
  /** Deletes messages and their vectors. Ids without a message have no effect. */
  'messages-delete': defineVerb(
    { owner: 'message-history', scope: 'run', once: true },
    ofThread.extend({ ids: z.array(messageIdSchema).min(1).max(1_000) }),
    z.object({ threadId: z.string(), deleted: count, total: count.describe('number of messages of the thread') }),
  ),
  /**
   * Deletes a message and all later ones of a thread, with their vectors. @throws state-conflict if the thread has another last message,
   * message-invalid if it has no message `from`, or more than 1,000 from there on
   */
  'threads-truncate': defineVerb(
    { owner: 'message-history', scope: 'run', once: true },
    ofThread.extend({
      from: messageIdSchema.describe('id of the first message to delete'),
      last: messageIdSchema.describe('id of the last message of the thread, as the caller has read it'),
    }),
    z.object({ threadId: z.string(), deleted: count, total: count.describe('number of messages of the thread') }),
  ),
  /** Replaces a working memory, addressed as in memory-get. */
  'memory-set': defineVerb(
    { owner: 'working-memory', scope: 'operate' },
    z.object({
      ...memoryAddress,
      memory: jsonObjectSchema.nullable().describe('null: the memory is empty from then on'),
      version: count.optional().describe('the memory is replaced only if it has this version; default: any'),
      setId: tokenSchema
        .optional()
        .describe('chosen by the caller: within 24 hours a repeated request with the same id has no further effect'),
    }),
    z.object({ memory: jsonObjectSchema.nullable(), version: z.number().int().min(0) }),
  ),
  'memory-get': defineVerb(
    { owner: 'working-memory', scope: 'read' },
    z.object(memoryAddress),
    z.object({ memory: jsonObjectSchema.nullable(), version: z.number().int().min(0) }),
  ),
} as const;
