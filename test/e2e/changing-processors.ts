// Processors and a tool that change each text of a run, for the tests of recorded changes.
import { defineMethods, defineTool } from '@millrace/testkit';
import { z } from 'zod';

/** Replaces a word, so that a text has a change before the guard masks it. */
const replacing = (id: string, from: string, to: string) =>
  defineMethods(
    id,
    {
      processInput: ({ messages }) => messages.map((message) => withText(message, from, to)),
      processOutputStep: ({ text }) => ({ text: text.replaceAll(from, to) }),
    },
    { reads: ['input', 'response'] },
  );
function withText<M extends { content: { parts: { type: string }[] } }>(message: M, from: string, to: string): M {
  const parts = message.content.parts.map((part) =>
    'text' in part && typeof part.text === 'string' ? { ...part, text: part.text.replaceAll(from, to) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
}
/** Changes the prompt of a call. */
const masker = defineMethods(
  'prompt-masker',
  { processLLMRequest: ({ prompt }) => ({ prompt: [...prompt] }) },
  { reads: ['prompt'] },
);
/** Answers in place of the model. */
const halting = defineMethods('halting', { processInput: ({ halt }) => halt('Not today.') }, { reads: ['input'] });
/** Adds a system message. */
const hinting = defineMethods(
  'hinting',
  {
    processInput({ messageList }) {
      messageList.addSystem('The hidden hint.', 'hint');
      return messageList;
    },
  },
  { reads: ['system'] },
);
/** Adds a member to the arguments and to the result. */
const stamping = defineMethods('stamping', {
  processToolCall: ({ toolCall: { args } }) => ({ args: Object.assign({}, args, { stamp: 'green' }) }),
  processToolResult: ({ result }) => ({ result: Object.assign({}, result, { stamp: 'blue' }) }),
});
export const CARD = '4111 1111 1111 1111';
/** Returns a card number and its holder. */
export const read = defineTool({
  name: 'read-card',
  description: 'Reads a card.',
  effect: 'read',
  inputSchema: z.strictObject({ of: z.string(), stamp: z.string().optional() }),
  execute: () => ({ card: CARD, holder: 'Ann' }),
});
/** Masks the holder of a card in the chunk of a result. */
const holding = defineMethods('holder-masker', {
  processOutputStream: ({ part }) =>
    part.type === 'tool-result'
      ? {
          ...part,
          payload: { ...part.payload, result: Object.assign({}, part.payload.result, { holder: '[HOLDER]' }) },
        }
      : part,
});
export const processors = [
  replacing('speller', 'colour', 'color'),
  replacing('shortener', 'honour', 'honor'),
  masker,
  halting,
  hinting,
  stamping,
  holding,
];
