// Defines the audit trail: one event for each called stage, and for changes of the run around them.
import { z } from 'zod';
import { ERROR_CODES } from '../base/error-codes.ts';
import { wireErrorSchema, type WireError } from '../base/errors.ts';
import { jsonValueSchema } from '../base/json.ts';
import { failureCauseSchema, processorUsageSchema, usageSchema } from '../message/model.ts';
import { getOwnMember } from '../base/own-member.ts';
import { runStatusSchema } from './run.ts';
import { stageSchema } from '../base/stage.ts';
import { toPublicViolations, publicViolationSchema, violationSchema } from '../stage/verdict.ts';

const at = { at: z.string().describe('ISO 8601'), epoch: z.number().int().min(1), step: z.number().int().min(0) };

/** Outcome of one entry in a stage. `ms` is its own time on its replica. */
export const entryOutcomeSchema = z.object({
  entry: z.string(),
  processor: z.string(),
  verdict: z.string(),
  ms: z.number(),
  attempts: z.number().int().min(0).describe('0: not called, or cancelled'),
  replica: z.string().optional(),
  skipped: z.boolean().optional(),
  observed: z.boolean().optional().describe('The run did not wait for the entry and ignored its verdict.'),
  reason: z.string().optional(),
  error: wireErrorSchema.optional(),
  metadata: jsonValueSchema.optional(),
  violations: z.array(violationSchema).optional(),
  usage: processorUsageSchema.optional(),
});
export type EntryOutcome = z.infer<typeof entryOutcomeSchema>;

const stageEvent = {
  event: z.literal('stage'),
  ...at,
  stage: stageSchema,
  ms: z.number().describe('wall clock, including the bus'),
  subject: z.string().optional().describe('the tool of a tool stage, or "files" of a thread'),
};
const modelEventSchema = z.object({
  event: z.literal('model'),
  ...at,
  model: z.string(),
  call: z.number().int().min(1),
  ms: z.number(),
  finishReason: z.string(),
  usage: usageSchema.optional(),
  fromCache: z.boolean(),
  error: wireErrorSchema.optional(),
  cause: failureCauseSchema.optional().describe('if the call failed'),
});
const toolEventSchema = z.object({
  event: z.literal('tool'),
  ...at,
  tool: z.string(),
  toolCallId: z.string(),
  position: z.number().int().min(0).optional().describe('of the call in its answer'),
  ms: z.number(),
  isError: z.boolean(),
  denied: z.boolean(),
  attempts: z.number().int().min(2).optional().describe('if the call was repeated'),
});
/** The orchestrator stopped a call because untrusted content precedes it. */
const untrustedCallEventSchema = z.object({
  event: z.literal('untrusted-call'),
  ...at,
  tool: z.string(),
  toolCallId: z.string(),
  position: z.number().int().min(0),
  decision: z.enum(['approve', 'deny']).describe('approve: the run waits for an operator'),
  origins: z.array(z.string()).describe('origins of the untrusted content'),
});
/** An operator approved a call with other arguments than those of the model. */
const editedCallEventSchema = z.object({
  event: z.literal('edited-call'),
  ...at,
  tool: z.string(),
  toolCallId: z.string(),
  position: z.number().int().min(0),
  by: z.string().describe('the entry that asked for the approval'),
});
/** A memory's save after the run: deferred because its store was unavailable, completed later, or given up. */
const saveEventSchema = z.object({
  event: z.literal('save'),
  ...at,
  outcome: z.enum(['put-off', 'saved', 'given-up']),
  memories: z.array(z.string()),
  error: wireErrorSchema.optional(),
});
/** Most of a budget of money was spent before a call of the run. */
const budgetEventSchema = z.object({
  event: z.literal('budget'),
  ...at,
  scope: z.enum(['tenant', 'agent', 'subject', 'key']),
  window: z.enum(['day', 'month']),
});
const runEnding = { event: z.literal('run'), ...at, status: runStatusSchema };

/** The stored form, returned by the operator's verb. */
export const runEventSchema = z.discriminatedUnion('event', [
  z.object({ ...stageEvent, entries: z.array(entryOutcomeSchema) }),
  modelEventSchema,
  toolEventSchema,
  untrustedCallEventSchema,
  editedCallEventSchema,
  saveEventSchema,
  budgetEventSchema,
  z.object({ ...runEnding, detail: jsonValueSchema.optional() }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

/** A message of the event stream: the events between two checkpoints, in order. */
export const eventBatchSchema = z.object({ events: z.array(runEventSchema) });
/** The part of a stored batch that an erasure reads; absent: a run without a resource, or of an earlier version. */
export const eventOwnerSchema = z.object({ owner: z.string().optional().describe('hash of the resource of the run') });

const publicOutcomeSchema = entryOutcomeSchema
  .omit({ reason: true, metadata: true })
  .extend({ violations: z.array(publicViolationSchema).optional() });

/** The form that callers see: no reason, metadata, span or error message, because no guard has judged those. */
export const publicRunEventSchema = z.discriminatedUnion('event', [
  z.object({ ...stageEvent, entries: z.array(publicOutcomeSchema) }),
  modelEventSchema,
  toolEventSchema,
  untrustedCallEventSchema,
  editedCallEventSchema,
  saveEventSchema,
  budgetEventSchema,
  z.object(runEnding),
]);
export type PublicRunEvent = z.infer<typeof publicRunEventSchema>;

export function toPublicEvent(event: RunEvent): PublicRunEvent {
  switch (event.event) {
    case 'stage':
      return { ...event, entries: event.entries.map(toPublicOutcome) };
    case 'model':
    case 'save':
      return { ...event, ...(event.error && { error: keepCode(event.error) }) };
    case 'tool':
    case 'untrusted-call':
    case 'edited-call':
    case 'budget':
      return event;
    case 'run': {
      const { event: name, at: when, epoch, step, status } = event;
      return { event: name, at: when, epoch, step, status };
    }
  }
}

function toPublicOutcome(outcome: EntryOutcome): z.infer<typeof publicOutcomeSchema> {
  const { reason: _reason, metadata: _metadata, violations, error, ...shown } = outcome;
  return {
    ...shown,
    ...(error && { error: keepCode(error) }),
    ...(violations && { violations: toPublicViolations(violations) }),
  };
}

/** Replaces the message by the registry's description of the code. */
function keepCode({ code }: WireError): WireError {
  return {
    code,
    message: getOwnMember(ERROR_CODES, code) ?? 'See the events with detail for the reason.',
  };
}
