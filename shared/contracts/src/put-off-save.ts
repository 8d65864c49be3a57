// A memory's save that failed because its store was away: it is made later, by whichever orchestrator is there, in the order of the
// thread's runs. docs/semantics.md, section 11.
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { runStateSchema } from './run-state.ts';
import { runRefSchema, stageInputSchema } from './stage-call.ts';
import { tokenSchema } from './tokens.ts';

const count = z.number().int().min(0);

/** Small, and watched by every orchestrator. What is saved stands apart: keptSaveSchema. */
export const putOffSaveSchema = z.object({
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  threadId: z.string().optional(),
  epoch: z.number().int().min(1).default(1).describe('of the owner that put it off'),
  entries: z.array(tokenSchema).min(1).describe('the memories that have not saved'),
  since: z.number().describe('ms since 1970'),
  place: z.number().describe('saves of a thread are made in this order'),
  tries: count,
  timeouts: count.default(0).describe('tries in which no memory answered in its time'),
  nextAt: z.number().describe('nobody tries before, ms since 1970: somebody is at it, or the store is given time'),
  error: wireErrorSchema.describe('of the last try'),
});
export type PutOffSave = z.infer<typeof putOffSaveSchema>;

/** As callers are told it: whose words an error has, nobody has judged. */
export const shownSaveSchema = z.object({
  runId: tokenSchema,
  threadId: z.string().optional(),
  entries: z.array(tokenSchema),
  since: z.string().describe('ISO 8601'),
  tries: count,
  code: z.string().describe('why it was put off'),
});
export type ShownSave = z.infer<typeof shownSaveSchema>;

export const shownSave = ({ runId, threadId, entries, since, tries, error }: PutOffSave): ShownSave => ({
  runId,
  ...(threadId !== undefined && { threadId }),
  entries,
  since: new Date(since).toISOString(),
  tries,
  code: error.code,
});

/** Everything that a save needs, as it was when it was put off. */
export const keptSaveSchema = z.object({ ref: runRefSchema, state: runStateSchema, input: stageInputSchema });
export type KeptSave = z.infer<typeof keptSaveSchema>;
