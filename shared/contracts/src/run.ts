// A run from outside: what is submitted, the command that starts it, its status, and the result that it ends with.
import { z } from 'zod';
import { publicViolationSchema } from './verdict.ts';
import { overrideEntrySchema } from './agent.ts';
import { wireErrorSchema } from './errors.ts';
import { quicklyRead } from './json-fit.ts';
import { jsonObjectSchema, jsonValueSchema } from './json.ts';
import { messageSchema } from './message.ts';
import { finishReasonSchema, stepResultSchema, usageSchema } from './model.ts';
import { traceSchema } from './stage-call.ts';
import { storedVersionSchema } from './stored-version.ts';
import { tokenSchema } from './tokens.ts';

export const runStatusSchema = z.enum([
  'queued',
  'running',
  'suspended',
  'finished',
  'aborted',
  'failed',
  'cancelled',
  'released',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;
const finalStatuses: readonly RunStatus[] = ['finished', 'aborted', 'failed', 'cancelled', 'released'];
export const isFinal = (status: RunStatus): boolean => finalStatuses.includes(status);

/** A run's deadline when the caller names none, in ms. docs/architecture.md. */
export const RUN_DEADLINE_MS = 10 * 60_000;

/** Of a thread or a resource. */
export const threadIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters, no spaces');

/** Entries of one list that a caller may submit. */
export const MAX_OVERRIDE_ENTRIES = 32;
const overrideListSchema = z.array(overrideEntrySchema).max(MAX_OVERRIDE_ENTRIES).optional();

/** Strict, so that what is not known is refused by its name. */
export const runRequestSchema = z.strictObject({
  runId: tokenSchema,
  tenant: tokenSchema,
  agent: tokenSchema,
  messages: z.array(messageSchema).min(1),
  threadId: threadIdSchema.optional(),
  resourceId: threadIdSchema.optional().describe('the thread owns its memory if absent'),
  requestContext: jsonObjectSchema.default({}),
  inputProcessors: overrideListSchema.describe('in place of the agent’s input list, where it allows that'),
  outputProcessors: overrideListSchema,
  errorProcessors: overrideListSchema,
  maxProcessorRetries: z.number().int().min(0).max(100).optional().describe('no more than the agent’s own'),
  deadlineMs: z
    .number()
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(RUN_DEADLINE_MS),
  trace: traceSchema.optional(),
  retryOf: tokenSchema.optional().describe('the run that this one repeats; nothing is done with it'),
});
export type RunRequest = z.infer<typeof runRequestSchema>;
export type RunRequestInput = z.input<typeof runRequestSchema>;

/** What stands in the work queue. `resume`: a suspended run has an answer. */
export const commandSchema = z.discriminatedUnion('command', [
  z.object({
    command: z.literal('start'),
    v: storedVersionSchema,
    request: runRequestSchema,
    requestHash: z.string(),
    submittedAt: z.number(),
    /** Revisions of the run's head and of its agent as whoever queued it saw them: they need not be read again. */
    headRevision: z.number().int().min(1).optional(),
    agentRevision: z.number().int().min(1).optional(),
  }),
  z.object({
    command: z.literal('resume'),
    v: storedVersionSchema,
    request: z.object({
      tenant: tokenSchema,
      runId: tokenSchema,
      deadlineMs: z.number().describe('what was left of the run when it was put away'),
    }),
    submittedAt: z.number(),
  }),
]);
export type Command = z.infer<typeof commandSchema>;
/** The members of a command that every version has. */
export const anyCommandSchema = z.looseObject({
  command: z.string(),
  submittedAt: z.number(),
  request: z.looseObject({ deadlineMs: z.number().default(RUN_DEADLINE_MS) }),
});
export const isKnownCommand = (command: string): boolean => command === 'start' || command === 'resume';

export type StartCommand = Extract<Command, { command: 'start' }>;

export const tripwireSchema = z.object({
  reason: z.string(),
  retry: z.boolean().optional(),
  metadata: jsonValueSchema.optional(),
  processorId: z.string().optional(),
});
export type Tripwire = z.infer<typeof tripwireSchema>;

/** What a run ended with. `messages` are this run's response messages only, as they were let through and stored. */
export const runResultSchema = z.object({
  runId: tokenSchema,
  status: runStatusSchema,
  text: z.string(),
  finishReason: finishReasonSchema,
  usage: usageSchema,
  messages: z.array(messageSchema),
  steps: z.array(stepResultSchema),
  object: jsonValueSchema.optional(),
  tripwire: tripwireSchema.optional(),
  error: wireErrorSchema.optional(),
  violations: z.array(publicViolationSchema),
  unsaved: z
    .array(tokenSchema)
    .optional()
    .describe('memories whose store was away at the end: they save when it is back'),
});
export type RunResult = z.infer<typeof runResultSchema>;

const anyChunkSchema = z.looseObject({ type: z.string() });

/** Chunks from `index` on, of the owner `epoch`. Order is (epoch, index). */
export const chunkBatchSchema = quicklyRead(
  z.object({
    epoch: z.number().int().min(1),
    index: z.number().int().min(0),
    chunks: z.array(anyChunkSchema),
  }),
);
export type ChunkBatch = z.infer<typeof chunkBatchSchema>;

/** As the log stores it. */
export const loggedBatchSchema = quicklyRead(chunkBatchSchema.extend({ v: storedVersionSchema }));

/** A message on the live subject. `transient`: chunks after these that have no index; they are never logged or replayed. */
export const liveBatchSchema = quicklyRead(chunkBatchSchema.extend({ transient: z.array(anyChunkSchema).optional() }));
export type LiveBatch = z.infer<typeof liveBatchSchema>;

/** Tells the owner of a run something from outside. */
export const controlSchema = z.discriminatedUnion('control', [
  z.object({ control: z.literal('cancel') }),
  z.object({ control: z.literal('epoch'), epoch: z.number().int().min(1) }),
]);
export type Control = z.infer<typeof controlSchema>;
export const cancelCallSchema = z.object({ callIds: z.array(tokenSchema).min(1) });
