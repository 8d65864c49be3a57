// Defines the recorded changes of processors in a run, as operators read them: only text that the run's result still has is shown.
import { z } from 'zod';
import { stageSchema } from '../base/stage.ts';
import { tokenSchema } from '../base/tokens.ts';
import { publicViolationSchema } from '../stage/verdict.ts';

const count = z.number().int().min(0);

/** `masked`: number of UTF-16 code units of a part that is not shown. */
export const changedSegmentSchema = z.union([z.object({ text: z.string() }), z.object({ masked: count })]);
export type ChangedSegment = z.infer<typeof changedSegmentSchema>;

export const runChangeSchema = z.object({
  step: count,
  stage: stageSchema,
  entry: z.string().optional().describe('absent in changes of an earlier version: all entries of the output stream'),
  verdict: z.string(),
  part: z
    .enum(['message', 'arguments', 'result', 'system', 'recalled', 'context', 'prompt'])
    .optional()
    .describe('the changed text; absent: the verdict changed no text, or rejected it; the last four are only masks'),
  messageId: z.string().optional().describe('the changed message'),
  toolCallId: z.string().optional().describe('the call with the changed arguments or result'),
  before: z.array(changedSegmentSchema).optional().describe('masked wherever this entry or a later one changed it'),
  after: z.array(changedSegmentSchema).optional().describe('masked wherever a later entry changed it'),
  violations: z.array(publicViolationSchema),
});
export type RunChange = z.infer<typeof runChangeSchema>;

/** One message of the stream: the changes of one owner of a run. */
export const storedChangesSchema = z.object({
  epoch: z.number().int().min(1),
  isPartial: z.boolean().optional().describe('the owner suspended the run, or handed it over: every text is a mask'),
  at: z.string().describe('ISO 8601'),
  owner: z.string().optional().describe('hash of the resource of the run, which an erasure reads'),
  changes: z.array(runChangeSchema),
  omitted: count.describe('number of changes above the bounds'),
});
export type StoredChanges = z.infer<typeof storedChangesSchema>;

export const changesAnswerSchema = z.object({
  runId: tokenSchema,
  changes: z.array(runChangeSchema),
  omitted: count.describe('number of changes above the bounds of a run'),
  lost: count.describe(
    'number of earlier owners of the run without stored changes: they were killed or replaced, or the changes have expired',
  ),
});
