// The audit trail: one event for each stage that was called, and for what happened to the run around them.
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { jsonValueSchema } from './json.ts';
import { usageSchema } from './model.ts';
import { runStatusSchema } from './run.ts';
import { stageSchema } from './stage.ts';
import { violationSchema } from './verdict.ts';

const at = { at: z.string().describe('ISO 8601'), epoch: z.number().int().min(1), step: z.number().int().min(0) };

/** What one entry did in a stage. `ms` is its own time, on its replica. */
export const entryOutcomeSchema = z.object({
  entry: z.string(),
  processor: z.string(),
  verdict: z.string(),
  ms: z.number(),
  attempts: z.number().int().min(1),
  replica: z.string().optional(),
  skipped: z.boolean().optional(),
  reason: z.string().optional(),
  error: wireErrorSchema.optional(),
  metadata: jsonValueSchema.optional(),
  violations: z.array(violationSchema).optional(),
});
export type EntryOutcome = z.infer<typeof entryOutcomeSchema>;

export const runEventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('stage'),
    ...at,
    stage: stageSchema,
    ms: z.number().describe('wall clock, bus included'),
    entries: z.array(entryOutcomeSchema),
    subject: z.string().optional().describe('the tool of a tool stage'),
  }),
  z.object({
    event: z.literal('model'),
    ...at,
    model: z.string(),
    call: z.number().int().min(1),
    ms: z.number(),
    finishReason: z.string(),
    usage: usageSchema.optional(),
    fromCache: z.boolean(),
    error: wireErrorSchema.optional(),
  }),
  z.object({
    event: z.literal('tool'),
    ...at,
    tool: z.string(),
    toolCallId: z.string(),
    position: z.number().int().min(0).optional().describe('of the call in its answer'),
    ms: z.number(),
    isError: z.boolean(),
    denied: z.boolean(),
  }),
  z.object({ event: z.literal('run'), ...at, status: runStatusSchema, detail: jsonValueSchema.optional() }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
