// Defines the request that makes a service delete its data of a thread or of messages. message-history sends it
// before it deletes its own messages, to every service that keeps data that is derived from them.
import { z } from 'zod';
import { wireErrorSchema } from './errors.ts';
import { threadIdSchema } from './run.ts';
import { tokenSchema } from './tokens.ts';

/** Maximum number of messages in one request: their texts have to fit a message of the bus. */
export const MAX_FORGOTTEN_MESSAGES = 20;
/** Maximum length of the compared start of a text, in UTF-16 code units. */
export const MAX_FORGOTTEN_TEXT = 4_000;

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
]);
export type ForgetRequest = z.infer<typeof forgetRequestSchema>;

export const forgetReplySchema = z.union([
  z.object({ ok: z.object({ deleted: z.number().int().min(0).describe('number of deleted entries') }) }),
  z.object({ error: wireErrorSchema }),
]);
