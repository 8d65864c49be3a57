// The smallest example: converts the input to lower case. It returns new messages; the runtime replaces those that
// differ.
import { defineProcessor, mapMessageText } from '@millrace/processor';
import { z } from 'zod';

export const lowercase = defineProcessor({
  id: 'lowercase',
  description: 'Converts the input to lower case.',
  stages: ['processInput'],
  reads: ['input'],
  options: z.strictObject({}),
  create: () => ({
    processInput: ({ messages }) => messages.map((message) => mapMessageText(message, (text) => text.toLowerCase())),
  }),
});
