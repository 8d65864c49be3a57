// Retries a rejected model call in another form: an overlong conversation without its oldest turns.
import { APICallError } from '@ai-sdk/provider';
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

export const errorRecovery = defineProcessor({
  id: 'error-recovery',
  description: 'Retries with a shorter conversation if it was too long.',
  stages: ['processAPIError'],
  reads: ['remembered', 'input', 'response', 'context'],
  options: z.strictObject({
    message: z.string().min(1).default('context length exceeded').describe("part of the provider's error message"),
    keep: z.int().min(1).default(4).describe('messages that stay, the newest'),
  }),
  create: ({ message, keep }) => ({
    processAPIError({ error, messageList, retryCount }) {
      // Once: a conversation that is still too long cannot be shortened further.
      if (retryCount > 0 || !APICallError.isInstance(error) || !error.message.includes(message)) return;
      const oldest = messageList.get.all.db().slice(0, -keep);
      if (oldest.length === 0) return;
      messageList.removeByIds(oldest.map(({ id }) => id));
      return { retry: true };
    },
  }),
});
