// What a provider refuses may be asked again in another form: a conversation that is too long without its oldest turns.
import { APICallError } from '@ai-sdk/provider';
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

export const errorRecovery = defineProcessor({
  id: 'error-recovery',
  description: 'Asks again with a shorter conversation where it was too long.',
  stages: ['processAPIError'],
  reads: ['remembered', 'input', 'response', 'context'],
  options: z.strictObject({
    message: z.string().min(1).default('context length exceeded').describe('part of what the provider says then'),
    keep: z.int().min(1).default(4).describe('messages that stay, the newest'),
  }),
  create: ({ message, keep }) => ({
    processAPIError({ error, messageList, retryCount }) {
      // Once: what is still too long then will stay so.
      if (retryCount > 0 || !APICallError.isInstance(error) || !error.message.includes(message)) return;
      const oldest = messageList.get.all.db().slice(0, -keep);
      if (oldest.length === 0) return;
      messageList.removeByIds(oldest.map(({ id }) => id));
      return { retry: true };
    },
  }),
});
