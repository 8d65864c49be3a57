// Filters reasoning before another model reads it: removes it, or renames it for providers that call it `thinking`.
// Edits messages in place; that counts as a change. With `hide` clients do not receive it either.
import type { Chunk, Message } from '@millrace/contracts';
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

export const reasoningFilter = defineProcessor({
  id: 'reasoning-filter',
  description: 'Removes or renames the reasoning of models.',
  stages: ['processInputStep', 'processOutputStream'],
  reads: ['input', 'response', 'remembered'],
  options: z.strictObject({
    as: z.enum(['nothing', 'thinking']).default('nothing').describe('replacement of reasoning in the messages'),
    hide: z.boolean().default(false).describe('clients do not get it either'),
  }),
  create: ({ as, hide }) => ({
    processInputStep({ messages, messageList }) {
      for (const message of messages) {
        if (as === 'thinking') rename(message);
        else message.content.parts = message.content.parts.filter(({ type }) => type !== 'reasoning');
      }
      return messageList;
    },
    processOutputStream: ({ part }) => (hide && isReasoning(part) ? null : part),
  }),
});

function rename({ content }: Message): void {
  for (const part of content.parts) if (part.type === 'reasoning') Object.assign(part, { type: 'thinking' });
}

const isReasoning = ({ type }: Chunk): boolean => type.startsWith('reasoning') || type === 'redacted-reasoning';
