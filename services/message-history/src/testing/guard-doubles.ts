// Minimal test doubles of the guards of other services.
import { buildTextMessage, type Message } from '@millrace/contracts';
import { defineProcessor, mapMessageText, type ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

/** Rewrites the texts of the response at the end of a run. */
export function rewriter(id: string, rewrite: (text: string) => string): ProcessorDefinition {
  return defineProcessor({
    id,
    description: 'A stand-in.',
    stages: ['processOutputResult'],
    reads: ['response'],
    options: z.strictObject({}),
    create: () => ({
      id,
      processOutputResult: ({ messages }) => messages.map((message) => mapMessageText(message, rewrite)),
    }),
  });
}

export const redactor = rewriter('redactor', (text) => text.replaceAll(/\d{3}-\d{2}-\d{4}/g, '[REDACTED]'));
export const limiter = (words: number) => rewriter('limiter', (text) => text.split(' ').slice(0, words).join(' '));

/** Aborts if a text contains the word. */
export function blocker(word: string): ProcessorDefinition {
  const judge = (messages: readonly Message[], abort: (reason: string) => never) => {
    if (JSON.stringify(messages).includes(word)) abort(`it says ${word}`);
  };
  return defineProcessor({
    id: 'blocker',
    description: 'A stand-in.',
    stages: ['processInput', 'processOutputResult'],
    reads: ['input', 'response'],
    options: z.strictObject({}),
    create: () => ({
      id: 'blocker',
      processInput: ({ messages, abort }) => judge(messages, abort),
      processOutputResult: ({ messages, abort }) => judge(messages, abort),
    }),
  });
}

export function answer(text: string): Message {
  return buildTextMessage('a1', 'assistant', text);
}
