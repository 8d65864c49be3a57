// Defines the request that makes a service delete data. message-history sends it for a thread or for messages, before it
// deletes its own messages; an orchestrator sends it to every service for a resource that is erased.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { threadIdSchema } from '../run/run.ts';
import { tokenSchema } from '../base/tokens.ts';

/** Maximum number of messages in one request: their texts have to fit a message of the bus. */
export const MAX_FORGOTTEN_MESSAGES = 20;
/** Maximum length of the compared start of a text, in UTF-16 code units. */
export const MAX_FORGOTTEN_TEXT = 4_000;

/** Maximum number of runs in one request. */
export const MAX_FENCED_RUNS = 500;
/** Epoch of an erased run: no owner of the run has a higher one. */
export const ERASED_EPOCH = 2 ** 31 - 1;

const place = {
  tenant: tokenSchema,
  threadId: threadIdSchema,
  resourceId: threadIdSchema.optional().describe('owner of the thread; absent: the thread owns its memory'),
};
const forgottenMessageSchema = z.object({
  id: z.string().min(1).max(200),
  text: z.string().max(MAX_FORGOTTEN_TEXT).describe('start of its text: an id can name several messages of a thread'),
});
export type ForgottenMessage = z.infer<typeof forgottenMessageSchema>;

export const forgetRequestSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('thread'), ...place }),
  z.object({
    what: z.literal('messages'),
    ...place,
    messages: z.array(forgottenMessageSchema).min(1).max(MAX_FORGOTTEN_MESSAGES),
  }),
  z.object({
    what: z.literal('resource'),
    tenant: tokenSchema,
    resourceId: threadIdSchema,
    runs: z
      .array(z.object({ runId: tokenSchema, threadId: threadIdSchema.optional() }))
      .max(MAX_FENCED_RUNS)
      .describe('runs of the resource: the service rejects every later save of them, with save-superseded'),
  }),
]);
export type ErasedRun = { runId: string; threadId?: string | undefined };
export type ForgetRequest = z.infer<typeof forgetRequestSchema>;

const count = z.number().int().min(0);
export const forgetReplySchema = z.union([
  z.object({
    ok: z.object({
      deleted: count.describe('number of deleted entries'),
      left: count.optional().describe('of a resource: number of entries that a read after the deletion finds'),
    }),
  }),
  z.object({ error: wireErrorSchema }),
]);
