// Defines the head of a run: its status, its owner, and its current records and chunks.
import { z } from 'zod';
import { runStatusSchema } from './run.ts';
import { storedVersionSchema } from '../base/stored-version.ts';
import { tokenSchema } from '../base/tokens.ts';

const count = z.number().int().min(0);

/**
 * The owners of a run, in order. A record counts if its owner's epoch wrote it from `firstRecord` on and before that of
 * the next owner; chunks by `index` in the same way.
 */
export const ownerSchema = z.object({ epoch: z.number().int().min(1), index: count, firstRecord: count });
export type Owner = z.infer<typeof ownerSchema>;

/** The first `records` records are stored again under names that end with the epoch `by`, for as long as a suspended run may wait. */
const prolongedSchema = z.object({ by: z.number().int().min(1), records: count });
export type ProlongedRecords = z.infer<typeof prolongedSchema>;

/** Key of the end of a run at rest: the last token of the key, and the revision of that entry. */
const storedEndSchema = z.object({ name: tokenSchema, revision: count });
export type StoredEnd = z.infer<typeof storedEndSchema>;

/** The entry that owns a run, from its submission on: small, and written by compare-and-set only. */
const headSchema = z.object({
  v: storedVersionSchema,
  tenant: tokenSchema,
  runId: tokenSchema,
  agent: tokenSchema,
  caller: tokenSchema.optional().describe('the caller that submitted the run; absent: an operator'),
  subject: z.string().optional().describe('its identity'),
  threadId: z.string().optional(),
  resourceId: z.string().optional(),
  requestHash: z.string().describe('a run id is one request: another one under it is refused'),
  status: runStatusSchema,
  owner: tokenSchema.describe('the orchestrator that wrote this'),
  epoch: z.number().int().min(1),
  write: count.describe('number of this write within the epoch'),
  command: count.describe('stream sequence of the command that drives the run; 0 while it is queued'),
  records: count.describe('how many records count'),
  nextIndex: count.describe("index of the next owner's first chunk"),
  owners: z.array(ownerSchema).min(1),
  takeovers: count.default(0).describe('number of takeovers from lost owners'),
  repeatedLosses: count
    .optional()
    .describe('number of owners that were lost in succession before they stored a record; absent: none'),
  handedOver: z
    .literal(true)
    .optional()
    .describe("the owner released the run at a checkpoint: the next owner's takeover is not a loss"),
  retryOf: tokenSchema.optional().describe('the run that this run repeats'),
  submission: tokenSchema.optional().describe('the submission that created the run, if it had a name'),
  submittedAt: z.number(),
  startedAt: z.number().optional(),
  deadlineAt: z.number(),
  suspension: z
    .object({
      at: z.number().describe('by the clock of the owner that wrote this'),
      expiresAt: z.number(),
      remainingMs: z.number().describe('time until the deadline; a suspended run uses none of it'),
    })
    .optional(),
  ended: z.object({ at: z.string().describe('ISO 8601'), step: count }).optional(),
  asked: z
    .number()
    .int()
    .optional()
    .describe('epoch in the key of the newest questions; absent: the run asked nothing, or the key has no epoch'),
  prolonged: prolongedSchema.optional(),
  end: storedEndSchema
    .optional()
    .describe('absent while the run is driven; and in heads of versions that named the end by its epoch'),
});
export type RunHead = z.infer<typeof headSchema>;

const { owners, suspension, ended, prolonged, end } = headSchema.shape;
/** Members that this version does not know are kept, also of the members, so that they survive when it writes the head. */
export const runHeadSchema: z.ZodType<RunHead> = headSchema.loose().extend({
  owners: z.array(owners.element.loose()).min(1),
  suspension: suspension.unwrap().loose().optional(),
  ended: ended.unwrap().loose().optional(),
  prolonged: prolonged.unwrap().loose().optional(),
  end: end.unwrap().loose().optional(),
});
