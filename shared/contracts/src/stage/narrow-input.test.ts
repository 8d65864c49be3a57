import { expect, test } from 'vitest';
import { buildTextMessage } from '../message/message.ts';
import { narrowInput } from './narrow-input.ts';
import type { Reads } from '../base/stage.ts';
import type { StageInput } from './stage-call.ts';

const message = (id: string) => buildTextMessage(id, 'user', id);
const input: StageInput = {
  retryCount: 2,
  stepNumber: 1,
  conversation: {
    entries: [
      { source: 'input', message: message('in') },
      { source: 'response', message: message('out') },
      { source: 'remembered', message: message('old') },
      { source: 'context', message: message('more') },
    ],
    system: [{ tag: 'instructions', content: 'Be brief.' }],
  },
  prompt: [{ role: 'user' }],
  steps: [],
  chunks: [],
  tools: [],
  model: 'openai/test',
  text: 'short',
};
const shape = ({ conversation, ...rest }: StageInput) => ({
  messages: conversation?.entries.map((entry) => entry.message.id),
  system: conversation?.system.length,
  members: Object.keys(rest),
});

test('A processor without reads receives only the small members', () => {
  expect(shape(narrowInput(input, []))).toEqual({
    messages: [],
    system: 0,
    members: ['retryCount', 'stepNumber', 'model', 'text'],
  });
});

test.each<[Reads, string]>([
  ['input', 'in'],
  ['response', 'out'],
  ['remembered', 'old'],
  ['context', 'more'],
])('A processor that reads %s receives only those messages', (reads, id) => {
  expect(shape(narrowInput(input, [reads]))).toMatchObject({ messages: [id], system: 0 });
});

test('A processor that reads system receives the system messages', () => {
  expect(shape(narrowInput(input, ['system']))).toMatchObject({ messages: [], system: 1 });
});

test.each<Reads>(['prompt', 'steps', 'chunks', 'tools'])('A processor that reads %s receives it', (reads) => {
  expect(shape(narrowInput(input, [reads])).members).toContain(reads);
});

test("A merged call contains the union of its members' reads", () => {
  const { messages, members } = shape(narrowInput(input, ['input', 'response', 'tools']));
  expect(messages).toEqual(['in', 'out']);
  expect(members).toContain('tools');
});

test('An input without a conversation keeps none, and the given input is not modified', () => {
  const before = JSON.stringify(input);
  const { conversation: _, ...bare } = input;
  expect('conversation' in narrowInput(bare, ['input'])).toBe(false);
  narrowInput(input, []);
  expect(JSON.stringify(input)).toBe(before);
});
