// The public verbs: api.<verb>.<tenant>[.<run>]. A verb is a right. One table says what each takes and gives, so that the
// client, the services and the exported JSON Schemas cannot disagree. An answer is {ok: value} or {error}.
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { jsonObjectSchema, jsonValueSchema } from './json.ts';
import { messageSchema } from './message.ts';
import { appliedAgentSchema } from './plan.ts';
import { chunkBatchSchema, runRequestSchema, runResultSchema, runStatusSchema, threadIdSchema } from './run.ts';
import { shownDeadLetterSchema } from './dead-letter.ts';
import { publicRunEventSchema, runEventSchema } from './event.ts';
import { runInspectionSchema } from './run-activity.ts';
import { resumeTokenSchema, shownPendingSchema, suspensionSchema } from './suspension.ts';
import { shownSaveSchema } from './put-off-save.ts';
import { tokenSchema } from './tokens.ts';

/** Of a thread that nobody has named. */
export const DEFAULT_THREAD_TITLE = 'New Conversation';

export const threadSchema = z.object({
  id: z.string(),
  resourceId: z.string().optional().describe('the thread owns itself if absent'),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastMessageAt: z.string().optional(),
  messageCount: z.number().int().min(0),
  metadata: jsonObjectSchema.default({}),
});
export type Thread = z.infer<typeof threadSchema>;

const nothing = z.object({});
const count = z.number().int().min(0);
const ofThread = z.object({ threadId: threadIdSchema });
/** The page size of a list, and its bound. */
const page = { limit: z.number().int().min(1).max(1_000).default(100), offset: z.number().int().min(0).default(0) };

/** Where a list goes on: what `next` of the page before said. An answer holds as many as fit into a message, one at least. */
const cursor = {
  limit: z.number().int().min(1).max(1_000).default(100),
  after: z.number().int().min(0).default(0),
};
const next = z.number().int().optional().describe('`after` of the next page; absent: this is the last');

/** ms until the run's deadline; below 0 it has passed. The owner's clock and nobody else's. */
const remainingMs = z.number().optional();

export const runSummarySchema = z.object({
  runId: tokenSchema,
  status: runStatusSchema,
  agent: tokenSchema,
  submittedAt: z.string().describe('ISO 8601'),
  startedAt: z.string().optional().describe('ISO 8601; absent while it is queued'),
  retryOf: tokenSchema.optional().describe('the run that this one repeats'),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

const answerSchema = z.object({
  token: resumeTokenSchema,
  data: jsonValueSchema,
  resumeId: tokenSchema
    .optional()
    .describe('made by whoever asks: asked again for want of an answer, it is the same resumption'),
});

const answeredSchema = z.object({
  runId: tokenSchema,
  accepted: z.literal(true),
  epoch: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('of the suspension: the chunk that ends that epoch is no end any more, though it may still be read'),
});

/** `run`: whether the subject ends in a run id. */
const verb = <I extends z.ZodType, O extends z.ZodType>(request: I, answer: O, run = false) => ({
  request,
  answer,
  run,
});

export const API = {
  submit: verb(runRequestSchema, z.object({ runId: tokenSchema, accepted: z.literal(true) }), true),
  run: verb(
    nothing,
    z.object({
      runId: tokenSchema,
      status: runStatusSchema,
      result: runResultSchema.optional(),
      pending: z
        .array(shownPendingSchema)
        .optional()
        .describe('what a suspended run waits for, as its last chunk says it'),
      remainingMs,
    }),
    true,
  ),
  /** The calls that the run has under way, as its owner reports them: for operators. */
  inspect: verb(nothing, runInspectionSchema, true),
  cancel: verb(nothing, z.object({ runId: tokenSchema, status: runStatusSchema }), true),
  /** Answers one thing that a suspended run waits for, whatever it is: for operators. */
  resume: verb(answerSchema, answeredSchema, true),
  /** The same for questions to the caller alone: a token of an approval is refused. */
  answer: verb(answerSchema, answeredSchema, true),
  /** Ends a suspended run, and one that was released before once more. */
  release: verb(nothing, z.object({ runId: tokenSchema, status: runStatusSchema }), true),
  /** What suspended runs wait for, with their tokens: for operators. */
  'suspended-list': verb(z.object(cursor), z.object({ suspended: z.array(suspensionSchema), next })),
  replay: verb(
    z.object({ epoch: z.number().int().min(1).default(1), index: z.number().int().min(0).default(0) }),
    z.object({
      status: runStatusSchema,
      epoch: z.number().int().min(1),
      nextIndex: z.number().int().min(0).describe('where to ask on from'),
      batches: z.array(chunkBatchSchema),
      complete: z.boolean().describe('the last chunk of the run is among them'),
      remainingMs,
    }),
    true,
  ),
  events: verb(z.object(cursor), z.object({ events: z.array(publicRunEventSchema), next }), true),
  /** With reasons, metadata, spans and the words of errors: for operators. */
  'events-detail': verb(z.object(cursor), z.object({ events: z.array(runEventSchema), next }), true),
  /** Saves of memories that wait for their store. */
  'saves-list': verb(
    z.object({ threadId: threadIdSchema.optional().describe('only of this thread') }),
    z.object({ saves: z.array(shownSaveSchema).describe('the first to be made first'), total: count }),
  ),
  /** In the order of their last change. */
  'runs-list': verb(z.object(cursor), z.object({ runs: z.array(runSummarySchema), next })),
  /** What was given up; for operators. In the order of their last change. */
  'dead-letters-list': verb(z.object(cursor), z.object({ letters: z.array(shownDeadLetterSchema), next })),
  /** A run begins anew, as a run of its own that names it; a save is put off once more. Again is the same again. */
  'dead-letters-retry': verb(nothing, z.object({ what: z.enum(['run', 'save']), runId: tokenSchema }), true),
  'agents-apply': verb(
    z.object({ definition: jsonValueSchema, dryRun: z.boolean().default(false) }),
    z.object({ applied: appliedAgentSchema, changed: z.boolean(), warnings: z.array(wireErrorSchema) }),
  ),
  /** By name. */
  'agents-list': verb(
    z.object({ limit: cursor.limit, after: tokenSchema.optional() }),
    z.object({ agents: z.array(appliedAgentSchema), next: tokenSchema.optional() }),
  ),
  /** What runs of it are under way end as they would. */
  'agents-delete': verb(
    z.object({ agent: tokenSchema }),
    z.object({ agent: tokenSchema, revision: z.number().int().min(1) }),
  ),
  'agents-get': verb(z.object({ agent: tokenSchema }), appliedAgentSchema),
  'agents-plan': verb(
    z.object({ agent: tokenSchema.optional(), definition: jsonValueSchema.optional() }),
    appliedAgentSchema.extend({ warnings: z.array(wireErrorSchema).optional() }),
  ),
  'threads-list': verb(
    z.object({ resourceId: threadIdSchema.optional(), ...page }),
    z.object({ threads: z.array(threadSchema), total: z.number().int() }),
  ),
  'threads-get': verb(ofThread, threadSchema),
  /** An answer may hold fewer messages than `limit`, where more would be too large: the next page begins after them. */
  'messages-list': verb(
    ofThread.extend({ ...page, last: z.number().int().min(1).max(1_000).optional() }),
    z.object({ messages: z.array(messageSchema), total: z.number().int() }),
  ),
  'memory-get': verb(
    z.object({
      resourceId: threadIdSchema.optional(),
      threadId: threadIdSchema
        .optional()
        .describe(
          'alone: the memory of a thread without a resource; with a resource: its thread\u2019s own (scope thread)',
        ),
    }),
    z.object({ memory: jsonObjectSchema.nullable(), version: z.number().int().min(0) }),
  ),
} as const;

export type ApiVerb = keyof typeof API;

/** The second answer to the same question would differ: a definition that was just applied is unchanged, a deleted agent is unknown. */
const ASKED_ONCE: ReadonlySet<ApiVerb> = new Set(['agents-apply', 'agents-delete', 'dead-letters-retry']);
/** Whether a caller may repeat the question while the first one has no answer. */
export const isIdempotent = (verb: ApiVerb): boolean => !ASKED_ONCE.has(verb);

export type ApiRequest<V extends ApiVerb> = z.infer<(typeof API)[V]['request']>;
export type ApiRequestInput<V extends ApiVerb> = z.input<(typeof API)[V]['request']>;
export type ApiAnswer<V extends ApiVerb> = z.infer<(typeof API)[V]['answer']>;

export const apiReplySchema = z.union([z.object({ ok: jsonValueSchema }), z.object({ error: wireErrorSchema })]);
