// Defines a deferred save: a memory's save that failed because of an unavailable store. Any orchestrator executes it
// later, in the order of the thread's runs. docs/semantics.md, section 11.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { runStateSchema } from './run-state.ts';
import { runRefSchema, stageInputSchema } from '../stage/stage-call.ts';
import { tokenSchema } from '../base/tokens.ts';

const count = z.number().int().min(0);

/** Small, because every orchestrator watches it. The saved data is separate: keptSaveSchema. */
export const putOffSaveSchema = z.object({
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  caller: tokenSchema.optional().describe('of the run; absent: an operator'),
  threadId: z.string().optional(),
  resourceId: z.string().optional().describe('absent in entries of earlier versions, too'),
  epoch: z.number().int().min(1).default(1).describe('of the owner that deferred it'),
  entries: z.array(tokenSchema).min(1).describe('the memories that have not saved'),
  since: z.number().describe('ms since 1970'),
  place: z.number().describe('order of execution within a thread'),
  tries: count,
  timeouts: count.default(0).describe('attempts that timed out in every memory'),
  nextAt: z
    .number()
    .describe('no attempt before this time, ms since 1970: another attempt is active, or the backoff is not over'),
  error: wireErrorSchema.describe('error of the last attempt'),
});
export type PutOffSave = z.infer<typeof putOffSaveSchema>;

/** The form that callers see: the error message is omitted, because no guard has judged it. */
export const shownSaveSchema = z.object({
  runId: tokenSchema,
  threadId: z.string().optional(),
  entries: z.array(tokenSchema),
  since: z.string().describe('ISO 8601'),
  tries: count,
  code: z.string().describe('why it was deferred'),
});
export type ShownSave = z.infer<typeof shownSaveSchema>;

export const toShownSave = ({ runId, threadId, entries, since, tries, error }: PutOffSave): ShownSave => ({
  runId,
  ...(threadId !== undefined && { threadId }),
  entries,
  since: new Date(since).toISOString(),
  tries,
  code: error.code,
});

/** The data of a deferred save at the time of its deferral. */
export const keptSaveSchema = z.object({ ref: runRefSchema, state: runStateSchema, input: stageInputSchema });
export type KeptSave = z.infer<typeof keptSaveSchema>;
