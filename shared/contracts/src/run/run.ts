// Defines the public view of a run: its request, the command that starts it, its status, and its result.
import { z } from 'zod';
import { publicViolationSchema } from '../stage/verdict.ts';
import { overrideEntrySchema, releaseSchema, storedReleaseSchema } from '../agent/agent.ts';
import { clientToolsSchema } from '../tool/client-tool.ts';
import { wireErrorSchema } from '../base/errors.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { messageSchema } from '../message/message.ts';
import {
  callerModelSettingsSchema,
  callerOutputSchema,
  callerToolChoiceSchema,
  finishReasonSchema,
  stepResultSchema,
  usageSchema,
} from '../message/model.ts';
import { overridableSchema } from '../agent/plan.ts';
import { keyBudgetSchema } from './budget.ts';
import { traceSchema } from '../stage/stage-call.ts';
import { storedVersionSchema } from '../base/stored-version.ts';
import { tokenSchema } from '../base/tokens.ts';

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

/** Id of a thread or a resource. */
export const threadIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters, no spaces');

/** Maximum number of entries in one list that a caller submits. */
export const MAX_OVERRIDE_ENTRIES = 32;
/** Maximum number of messages in one request. */
export const MAX_REQUEST_MESSAGES = 2_000;
const overrideListSchema = z.array(overrideEntrySchema).max(MAX_OVERRIDE_ENTRIES).optional();

/** Maximum number of messages of its thread that a run replaces. */
export const MAX_REPLACED_MESSAGES = 200;
export const replacedIdsSchema = z.array(z.string().min(1).max(200)).min(1).max(MAX_REPLACED_MESSAGES);

/** Strict: an unknown field is rejected by its name. */
export const runRequestSchema = z.strictObject({
  runId: tokenSchema,
  tenant: tokenSchema,
  agent: tokenSchema,
  messages: z.array(messageSchema).min(1).max(MAX_REQUEST_MESSAGES),
  threadId: threadIdSchema.optional(),
  resourceId: threadIdSchema
    .optional()
    .describe('default: the subject; for an operator: none, and the thread owns its memory'),
  subject: threadIdSchema
    .optional()
    .describe('identity of the caller, required unless it is an operator: its hash has to be the caller’s token'),
  requestContext: jsonObjectSchema.default({}),
  inputProcessors: overrideListSchema.describe(
    'replaces the `replaceable` entries of the agent’s input list, if the agent allows it or an operator submits',
  ),
  outputProcessors: overrideListSchema,
  errorProcessors: overrideListSchema,
  maxProcessorRetries: z
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe('at most the agent’s own value, unless an operator submits'),
  structuredOutput: callerOutputSchema
    .optional()
    .describe('the form of the answer; refused if the agent has a form of its own'),
  modelSettings: callerModelSettingsSchema
    .optional()
    .describe('within `callerSettings` of the agent; maxOutputTokens is at most the agent’s own value'),
  toolChoice: callerToolChoiceSchema
    .optional()
    .describe('if `callerSettings` of the agent has it: `none` for all steps, the others for the first step'),
  clientTools: clientToolsSchema
    .optional()
    .describe('tools that the caller executes, if `clientTools` of the agent has them'),
  parallelToolCalls: z
    .boolean()
    .optional()
    .describe('only with `clientTools`; false: the provider is asked for one call in an answer'),
  release: releaseSchema.optional().describe('at least as late as the agent’s own'),
  replaces: replacedIdsSchema
    .optional()
    .describe(
      'ids of the last messages of the thread, which the run replaces: they are not in its prompt, and its save deletes them',
    ),
  deadlineMs: z
    .number()
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(RUN_DEADLINE_MS),
  budget: keyBudgetSchema.optional().describe('of the key that submits; the gateway adds it'),
  trace: traceSchema.optional(),
  retryOf: tokenSchema.optional().describe('the run that this run repeats; not interpreted'),
});
export type RunRequest = z.infer<typeof runRequestSchema>;
export type RunRequestInput = z.input<typeof runRequestSchema>;

/** A request as commands and records hold it. `caller`: from the subject of the submission; absent for operators. */
export const storedRequestSchema = runRequestSchema.extend({
  caller: tokenSchema.optional(),
  opened: z
    .record(tokenSchema, overridableSchema)
    .optional()
    .describe('an operator has provided lists or retries: its processors beyond the agent’s `overrides`, by name'),
  release: storedReleaseSchema.optional(),
});
export type StoredRequest = z.infer<typeof storedRequestSchema>;

/** A command in the work queue. `resume`: a suspended run has an answer. */
export const commandSchema = z.discriminatedUnion('command', [
  z.object({
    command: z.literal('start'),
    v: storedVersionSchema,
    request: storedRequestSchema,
    requestHash: z.string(),
    submittedAt: z.number(),
    /** Revisions of the run's head and of its agent at the time of queueing: the owner need not read them again. */
    headRevision: z.number().int().min(1).optional(),
    agentRevision: z.number().int().min(1).optional(),
  }),
  z.object({
    command: z.literal('resume'),
    v: storedVersionSchema,
    request: z.object({
      tenant: tokenSchema,
      runId: tokenSchema,
      caller: tokenSchema.optional().describe('the owner of the run; absent: an operator'),
      deadlineMs: z.number().describe('time left until the deadline when the run was suspended'),
    }),
    submittedAt: z.number(),
    /** Revision of the newest answer at the time of queueing. Commands of earlier versions have none. */
    answerRevision: z.number().int().min(1).optional(),
  }),
]);
export type Command = z.infer<typeof commandSchema>;
/** Members of a command in every version. */
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

/** Result of a run. `messages` are the response messages of this run only, as passed and stored. */
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
    .describe('memories that could not save because of an unavailable store: they save later'),
});
export type RunResult = z.infer<typeof runResultSchema>;

/** Sends a control message to the owner of a run. */
export const controlSchema = z.discriminatedUnion('control', [
  z.object({ control: z.literal('cancel') }),
  z.object({ control: z.literal('epoch'), epoch: z.number().int().min(1) }),
]);
export type Control = z.infer<typeof controlSchema>;
export const cancelCallSchema = z.object({ callIds: z.array(tokenSchema).min(1) });
