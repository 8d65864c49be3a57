// unicode-normalizer: what a user wrote, as it reads. It stands before other guards, so that they judge what the model will see.
import type { Message } from '@millrace/contracts';
import { defineProcessor, type ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';
import { userMessages } from '../guard/user-messages.ts';
import { normalizeText, type NormalizeOptions } from './normalize-text.ts';

const options = z.strictObject({
  stripControlChars: z.boolean().default(false).describe('remove control characters but line breaks and tabs'),
  preserveEmojis: z.boolean().default(true).describe('keep joiners and variation selectors inside emoji'),
  collapseWhitespace: z.boolean().default(true).describe('one space for many, at most one empty line'),
  trim: z.boolean().default(true).describe('no white space at either end of a text'),
});

export const unicodeNormalizer = defineProcessor({
  id: 'unicode-normalizer',
  description: 'Normalizes the text of user messages (NFKC) and removes invisible characters.',
  aliases: ['UnicodeNormalizer'],
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: (chosen) => ({
    id: 'unicode-normalizer',
    processInput: (args) => normalizeInput(chosen, args),
  }),
});

function normalizeInput(chosen: NormalizeOptions, { messageList }: ProcessInputArgs): void {
  for (const message of userMessages(messageList)) {
    const normalized = normalizeMessage(message, chosen);
    if (JSON.stringify(normalized) !== JSON.stringify(message)) messageList.replace(normalized);
  }
}

/** Text parts only: files, tool results and reasoning are not what the user typed. */
function normalizeMessage({ content, ...message }: Message, chosen: NormalizeOptions): Message {
  const parts = content.parts.map((part) =>
    part.type === 'text' ? { ...part, text: normalizeText(part.text, chosen) } : part,
  );
  const flat = content.content === undefined ? {} : { content: normalizeText(content.content, chosen) };
  return { ...message, content: { ...content, parts, ...flat } };
}
