// Processors and a tool that change each text of a run, for the tests of recorded changes.
import { defineProcessor, defineTool } from '@millrace/testkit';
import { z } from 'zod';

const options = z.strictObject({});
/** Replaces a word, so that a text has a change before the guard masks it. */
const replacing = (id: string, from: string, to: string) =>
  defineProcessor({
    id,
    description: 'replaces a word',
    stages: ['processInput', 'processOutputStep'],
    reads: ['input', 'response'],
    options,
    create: () => ({
      id,
      processInput: ({ messages }) => messages.map((message) => withText(message, from, to)),
      processOutputStep: ({ text }) => ({ text: text.replaceAll(from, to) }),
    }),
  });
function withText<M extends { content: { parts: { type: string }[] } }>(message: M, from: string, to: string): M {
  const parts = message.content.parts.map((part) =>
    'text' in part && typeof part.text === 'string' ? { ...part, text: part.text.replaceAll(from, to) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
}
const masker = defineProcessor({
  id: 'prompt-masker',
  description: 'changes the prompt of a call',
  stages: ['processLLMRequest'],
  reads: ['prompt'],
  options,
  create: () => ({ id: 'prompt-masker', processLLMRequest: ({ prompt }) => ({ prompt: [...prompt] }) }),
});
const halting = defineProcessor({
  id: 'halting',
  description: 'answers in place of the model',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: () => ({ id: 'halting', processInput: ({ halt }) => halt('Not today.') }),
});
const hinting = defineProcessor({
  id: 'hinting',
  description: 'adds a system message',
  stages: ['processInput'],
  reads: ['system'],
  options,
  create: () => ({
    id: 'hinting',
    processInput({ messageList }) {
      messageList.addSystem('The hidden hint.', 'hint');
      return messageList;
    },
  }),
});
/** Adds a member to the arguments and to the result. */
const stamping = defineProcessor({
  id: 'stamping',
  description: 'changes calls and results',
  stages: ['processToolCall', 'processToolResult'],
  reads: [],
  options,
  create: () => ({
    id: 'stamping',
    processToolCall: ({ toolCall: { args } }) => ({ args: Object.assign({}, args, { stamp: 'green' }) }),
    processToolResult: ({ result }) => ({ result: Object.assign({}, result, { stamp: 'blue' }) }),
  }),
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
const holding = defineProcessor({
  id: 'holder-masker',
  description: 'masks a member of results',
  stages: ['processOutputStream'],
  reads: [],
  options,
  create: () => ({
    id: 'holder-masker',
    processOutputStream: ({ part }) =>
      part.type === 'tool-result'
        ? {
            ...part,
            payload: { ...part.payload, result: Object.assign({}, part.payload.result, { holder: '[HOLDER]' }) },
          }
        : part,
  }),
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
