// What a model thought, before another model reads it: left out, or renamed for providers that call it `thinking`. Messages are edited in
// place; that is a change like any other. Clients do not see it either where `hide` says so.
import type { Chunk, Message } from '@millrace/contracts';
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

export const reasoningFilter = defineProcessor({
  id: 'reasoning-filter',
  description: 'Leaves out, or renames, what models thought.',
  stages: ['processInputStep', 'processOutputStream'],
  reads: ['input', 'response', 'remembered'],
  options: z.strictObject({
    as: z.enum(['nothing', 'thinking']).default('nothing').describe('what becomes of it in the messages'),
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
