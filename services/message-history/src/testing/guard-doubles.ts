// Minimal test doubles of the guards of other services.
import { buildTextMessage, type Message } from '@millrace/contracts';
import { mapMessageText, type ProcessorDefinition } from '@millrace/processor';
import { defineMethods } from '@millrace/testkit';

/** Rewrites the texts of the response at the end of a run. */
export function rewriter(id: string, rewrite: (text: string) => string): ProcessorDefinition {
  return defineMethods(
    id,
    { processOutputResult: ({ messages }) => messages.map((message) => mapMessageText(message, rewrite)) },
    { reads: ['response'] },
  );
}

export const redactor = rewriter('redactor', (text) => text.replaceAll(/\d{3}-\d{2}-\d{4}/g, '[REDACTED]'));
export const limiter = (words: number) => rewriter('limiter', (text) => text.split(' ').slice(0, words).join(' '));

/** Aborts if a text contains the word. */
export function blocker(word: string): ProcessorDefinition {
  const judge = (messages: readonly Message[], abort: (reason: string) => never) => {
    if (JSON.stringify(messages).includes(word)) abort(`it says ${word}`);
  };
  return defineMethods(
    'blocker',
    {
      processInput: ({ messages, abort }) => judge(messages, abort),
      processOutputResult: ({ messages, abort }) => judge(messages, abort),
    },
    { reads: ['input', 'response'] },
  );
}

export function answer(text: string): Message {
  return buildTextMessage('a1', 'assistant', text);
}
