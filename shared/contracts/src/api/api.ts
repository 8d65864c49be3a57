// Defines the public verbs: api.<verb>.<tenant>.<caller>[.<run>]. A verb is a permission. One row of a table defines each verb for
// the client, the services, the permissions, the gateway and the exported JSON Schemas. An answer is {ok: value} or {error}.
import { z } from 'zod';
import { answeredSchema, submittedSchema } from './accepted-answers.ts';
import { shownErasureSchema } from '../run/erasure.ts';
import { wireErrorSchema } from '../base/errors.ts';
import { jsonValueSchema } from '../base/json.ts';
import { keyIdSchema, keyRequestSchema, shownKeySchema } from './identity.ts';
import { appliedAgentSchema } from '../agent/plan.ts';
import { chunkBatchSchema } from '../chunk/chunk-batch.ts';
import { runRequestSchema, runResultSchema, runStatusSchema, threadIdSchema } from '../run/run.ts';
import { shownDeadLetterSchema } from '../run/dead-letter.ts';
import { claimEventSchema, processorInfoSchema, refusedEndpointSchema } from '../agent/processor-info.ts';
import { publicRunEventSchema, runEventSchema } from '../run/event.ts';
import { runInspectionSchema } from '../run/run-activity.ts';
import { editedAnswerSchema, resumeTokenSchema, shownPendingSchema, suspensionSchema } from '../chunk/suspension.ts';
import { shownSaveSchema } from '../run/deferred-save.ts';
import { changesAnswerSchema } from '../run/run-changes.ts';
import { statusAnswerSchema } from './status.ts';
import { modelsAnswerSchema } from './model-health.ts';
import { MEMORY_API } from './memory-api.ts';
import { messageSchema } from '../message/message.ts';
import { checkAnswerSchema, checkRequestSchema } from './check.ts';
import { toolCallAnswerSchema, toolCallRequestSchema, tryAnswerSchema, tryRequestSchema } from './alone.ts';
import { tokenSchema } from '../base/tokens.ts';
import { defineVerb, isOperatorScope } from './verb.ts';

const nothing = z.object({});
const count = z.number().int().min(0);
/** Position in a list: `next` of the preceding page. A page has as many items as fit into a message, at least one. */
const cursor = {
  limit: z.number().int().min(1).max(1_000).default(100),
  after: z.number().int().min(0).default(0),
};
const next = z.number().int().optional().describe('`after` of the next page; absent on the last page');

/** ms until the run's deadline by the owner's clock; negative after it. */
const remainingMs = z.number().optional();

export const runSummarySchema = z.object({
  runId: tokenSchema,
  status: runStatusSchema,
  agent: tokenSchema,
  subject: z.string().optional().describe('identity of the caller; absent: an operator'),
  threadId: z.string().optional(),
  resourceId: z.string().optional(),
  submittedAt: z.string().describe('ISO 8601'),
  startedAt: z.string().optional().describe('ISO 8601; absent while the run is queued'),
  retryOf: tokenSchema.optional().describe('the run that this run repeats'),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

const answerSchema = z.object({
  token: resumeTokenSchema,
  data: jsonValueSchema,
  resumeId: tokenSchema
    .optional()
    .describe('Chosen by the caller: a repeated request with the same id is the same resumption.'),
  hold: z.boolean().optional().describe('The run stays suspended until an answer without this: more answers follow.'),
});

export const API = {
  submit: defineVerb({ scope: 'run', shows: ['agents', 'names'], run: true }, runRequestSchema, submittedSchema),
  run: defineVerb(
    { scope: 'read', shows: ['agents', 'names', 'model'], run: true },
    nothing,
    z.object({
      runId: tokenSchema,
      status: runStatusSchema,
      result: runResultSchema.optional(),
      pending: z
        .array(shownPendingSchema)
        .optional()
        .describe('pending items of a suspended run, as in its last chunk'),
      summary: runSummarySchema.optional().describe('absent in answers of earlier versions'),
      remainingMs,
    }),
  ),
  /** Returns the calls that the run has under way, as its owner reports them: operators only. */
  inspect: defineVerb({ scope: 'operate', run: true }, nothing, runInspectionSchema),
  cancel: defineVerb({ scope: 'run', run: true }, nothing, z.object({ runId: tokenSchema, status: runStatusSchema })),
  /** Answers one pending item of a suspended run, of any kind: operators only. */
  resume: defineVerb(
    { scope: 'operate', run: true },
    answerSchema.extend({
      edited: editedAnswerSchema
        .optional()
        .describe(
          'approves the call of an approval with other arguments; the outer data then denies it, for versions without this member',
        ),
    }),
    answeredSchema,
  ),
  /** Answers a question for the caller; the token of an approval is rejected. */
  answer: defineVerb({ scope: 'answer', run: true }, answerSchema, answeredSchema),
  /** Ends a suspended run; a repeated release succeeds too. */
  release: defineVerb(
    { scope: 'answer', run: true },
    nothing,
    z.object({ runId: tokenSchema, status: runStatusSchema }),
  ),
  /** Deletes a run that is not active, with its result, chunks and recorded changes; its messages stay in the thread. */
  delete: defineVerb({ scope: 'run', run: true }, nothing, z.object({ runId: tokenSchema, deleted: z.literal(true) })),
  /** Lists the pending items of suspended runs with their tokens: operators only. */
  'suspended-list': defineVerb(
    { scope: 'operate' },
    z.object(cursor),
    z.object({ suspended: z.array(suspensionSchema), next }),
  ),
  replay: defineVerb(
    { scope: 'read', shows: ['agents', 'names', 'model'], run: true },
    z.object({ epoch: z.number().int().min(1).default(1), index: z.number().int().min(0).default(0) }),
    z.object({
      status: runStatusSchema,
      epoch: z.number().int().min(1),
      nextIndex: z.number().int().min(0).describe('index for the next request'),
      batches: z.array(chunkBatchSchema),
      complete: z.boolean().describe('true if the last chunk of the run is included'),
      remainingMs,
    }),
  ),
  events: defineVerb(
    { scope: 'read', shows: ['names', 'model'], run: true },
    z.object(cursor),
    z.object({ events: z.array(publicRunEventSchema), next }),
  ),
  /** Includes reasons, metadata, spans and error messages: operators only. */
  'events-detail': defineVerb(
    { scope: 'operate', run: true },
    z.object(cursor),
    z.object({ events: z.array(runEventSchema), next }),
  ),
  /** What each processor changed in the run, if its agent has `record: changes`: operators only. */
  changes: defineVerb({ scope: 'operate', run: true }, nothing, changesAnswerSchema),
  /** Judges texts with the processors of an agent, without a model, memory or state. */
  check: defineVerb({ scope: 'run', shows: ['agents', 'names'] }, checkRequestSchema, checkAnswerSchema),
  /**
   * Erases a resource: its runs, their events, and its data in every service. Returns the progress; a repeated request
   * returns it again, and an erasure that is not done continues by itself. Operators only.
   */
  erase: defineVerb(
    { scope: 'operate' },
    z.object({
      resourceId: threadIdSchema,
      eraseId: tokenSchema.describe(
        'chosen by the caller: after an erasure is done, a request with another id erases the resource again',
      ),
    }),
    shownErasureSchema,
  ),
  /** Lists memory saves that wait for their store. */
  'saves-list': defineVerb(
    { scope: 'read', shows: ['names'] },
    z.object({ threadId: threadIdSchema.optional().describe('only saves of this thread') }),
    z.object({ saves: z.array(shownSaveSchema).describe('in the order of execution'), total: count }),
  ),
  /** In the order of their last change, the latest last, or, with `newest`, first. A caller's own runs only. */
  'runs-list': defineVerb(
    { scope: 'read', shows: ['agents'] },
    z.object({
      ...cursor,
      newest: z.boolean().optional().describe('the latest change first'),
      status: runStatusSchema.optional(),
      agent: tokenSchema.optional(),
      threadId: threadIdSchema.optional(),
      resourceId: threadIdSchema.optional(),
      subject: threadIdSchema.optional().describe('identity of the caller that submitted the run'),
      since: z.iso.datetime().optional().describe('submitted then or later, ISO 8601'),
      until: z.iso.datetime().optional().describe('submitted before then'),
    }),
    z.object({ runs: z.array(runSummarySchema), next }),
  ),
  /** Returns the run of a thread that was submitted last: of the caller's own runs. */
  'runs-newest': defineVerb(
    { scope: 'read', shows: ['agents', 'names', 'model'] },
    z.object({ threadId: threadIdSchema }),
    z.object({
      run: runSummarySchema,
      result: runResultSchema.optional().describe('if the run has ended, or is suspended'),
      input: z
        .array(messageSchema)
        .optional()
        .describe('the messages of the caller as processInput passed them; absent: not passed yet, or not stored'),
    }),
  ),
  /** Lists dead letters in the order of their last change: operators only. */
  'dead-letters-list': defineVerb(
    { scope: 'operate' },
    z.object(cursor),
    z.object({ letters: z.array(shownDeadLetterSchema), next }),
  ),
  /** Starts a run again as a new run that names the old one, or defers a save again. Repeatable. */
  'dead-letters-retry': defineVerb(
    { scope: 'operate', run: true, once: true },
    nothing,
    z.object({ what: z.enum(['run', 'save']), runId: tokenSchema }),
  ),
  'agents-apply': defineVerb(
    { scope: 'admin', once: true },
    z.object({ definition: jsonValueSchema, dryRun: z.boolean().default(false) }),
    z.object({ applied: appliedAgentSchema, changed: z.boolean(), warnings: z.array(wireErrorSchema) }),
  ),
  /** By name. */
  'agents-list': defineVerb(
    { scope: 'read', shows: ['agents', 'public'] },
    z.object({ limit: cursor.limit, after: tokenSchema.optional() }),
    z.object({ agents: z.array(appliedAgentSchema), next: tokenSchema.optional() }),
  ),
  /** Deletes an agent. Its active runs continue to their end. */
  'agents-delete': defineVerb(
    { scope: 'admin', once: true },
    z.object({ agent: tokenSchema }),
    z.object({ agent: tokenSchema, revision: z.number().int().min(1) }),
  ),
  'agents-get': defineVerb(
    { scope: 'read', shows: ['agents', 'public'] },
    z.object({ agent: tokenSchema }),
    appliedAgentSchema,
  ),
  'agents-plan': defineVerb(
    { scope: 'admin' },
    z.object({ agent: tokenSchema.optional(), definition: jsonValueSchema.optional() }),
    appliedAgentSchema.extend({ warnings: z.array(wireErrorSchema).optional() }),
  ),
  /** Lists the running processors by name, as the answering orchestrator discovers them now: operators only. */
  processors: defineVerb(
    { scope: 'operate' },
    z.object({
      limit: cursor.limit,
      after: tokenSchema.optional(),
      loads: z.boolean().default(false).describe('asks each replica for its load'),
    }),
    z.object({
      processors: z.array(processorInfoSchema),
      next: tokenSchema.optional(),
      refused: z.array(refusedEndpointSchema).describe('rejected advertisements; on the first page only'),
      refusedTotal: count.describe('number of rejected advertisements, also of those that the answer omits'),
      claims: z
        .array(claimEventSchema)
        .optional()
        .describe(
          'stored claims of served names, the newest 100; on the first page, unless their store is unavailable',
        ),
    }),
  ),
  /** Judges a text with one processor at one stage, without an agent, memory or state: operators only. */
  'processors-try': defineVerb({ scope: 'operate', once: true }, tryRequestSchema, tryAnswerSchema),
  /** Calls one tool alone. No processor judges the arguments or the result: operators only. */
  'tools-call': defineVerb({ scope: 'operate', once: true }, toolCallRequestSchema, toolCallAnswerSchema),
  /** Version of the orchestrator that answers, and the room of the streams: operators only. */
  status: defineVerb({ scope: 'operate' }, nothing, statusAnswerSchema),
  /** Returns the state of the providers, and of the models of the tenant's agents: operators only. */
  models: defineVerb({ scope: 'operate' }, nothing, modelsAnswerSchema),
  ...MEMORY_API,
  /** Creates an API key of the tenant; no other answer contains the key itself: operators only. */
  'keys-create': defineVerb(
    { owner: 'auth', scope: 'admin', once: true },
    keyRequestSchema,
    shownKeySchema.extend({ key: z.string().describe('mk_<id>_<secret>') }),
  ),
  /** Lists the API keys of the tenant by id, without their secrets: operators only. */
  'keys-list': defineVerb(
    { owner: 'auth', scope: 'admin' },
    z.object({ limit: z.number().int().min(1).max(100).default(100), after: keyIdSchema.optional() }),
    z.object({ keys: z.array(shownKeySchema), next: keyIdSchema.optional() }),
  ),
  /** Refuses a key from now on, and ends what uses it: operators only. */
  'keys-revoke': defineVerb(
    { owner: 'auth', scope: 'admin', once: true },
    z.object({ id: keyIdSchema }),
    z.object({ id: keyIdSchema }),
  ),
} as const;

export type ApiVerb = keyof typeof API;

export const API_VERBS = Object.keys(API).filter((verb): verb is ApiVerb => verb in API);

/**
 * Header of `submit` and `cancel` that names one submission of a run, a token. A cancel with it of a run that is unknown
 * holds for that submission alone, so that its caller can submit the run again. A cancel with it of a run that another
 * submission has joined since is rejected.
 */
export const SUBMISSION_HEADER = 'Millrace-Submission';

/** Returns true if a caller may repeat the request while the first one has no answer. */
export const isIdempotent = (verb: ApiVerb): boolean => !API[verb].once;

/**
 * Verbs that show or change the runs of others, or the agents of the tenant, or that store text that no guard judges.
 * Only operators may request them.
 */
export const isOperatorVerb = (verb: ApiVerb): boolean => isOperatorScope(API[verb].scope);

export type ApiRequest<V extends ApiVerb> = z.infer<(typeof API)[V]['request']>;
export type ApiRequestInput<V extends ApiVerb> = z.input<(typeof API)[V]['request']>;
export type ApiAnswer<V extends ApiVerb> = z.infer<(typeof API)[V]['answer']>;

export const apiReplySchema = z.union([z.object({ ok: jsonValueSchema }), z.object({ error: wireErrorSchema })]);
