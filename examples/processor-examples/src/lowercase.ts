// The smallest: what the caller said, in small letters. Returning new messages is enough; what differs is replaced.
import { defineProcessor, mapMessageText } from '@millrace/processor';
import { z } from 'zod';

export const lowercase = defineProcessor({
  id: 'lowercase',
  description: 'Puts what the caller said into small letters.',
  stages: ['processInput'],
  reads: ['input'],
  options: z.strictObject({}),
  create: () => ({
    processInput: ({ messages }) => messages.map((message) => mapMessageText(message, (text) => text.toLowerCase())),
  }),
});
