import { buildTextMessage, type Message } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { toCoreMessages, toUiMessages } from './message-forms.ts';
import { mapMessageText } from './message-text.ts';

const upper = (text: string) => text.toUpperCase();
const toolInvocation = {
  state: 'result' as const,
  toolCallId: 'id',
  toolName: 'clock',
  args: { zone: 'utc' },
  result: 'noon',
};
const message: Message = {
  ...buildTextMessage('m', 'assistant', 'hello'),
  content: {
    format: 2,
    content: 'flat',
    parts: [
      { type: 'text', text: 'hello' },
      { type: 'reasoning', reasoning: 'why' },
      { type: 'tool-invocation', toolInvocation },
      { type: 'file', data: 'aGk=', mimeType: 'text/plain' },
    ],
  },
};

test('mapMessageText maps text, reasoning, arguments, results and the flat text, and keeps names, ids and files', () => {
  expect(mapMessageText(message, upper).content).toEqual({
    format: 2,
    content: 'FLAT',
    parts: [
      { type: 'text', text: 'HELLO' },
      { type: 'reasoning', reasoning: 'WHY' },
      { type: 'tool-invocation', toolInvocation: { ...toolInvocation, args: { zone: 'UTC' }, result: 'NOON' } },
      { type: 'file', data: 'aGk=', mimeType: 'text/plain' },
    ],
  });
});

test('mapMessageText returns the same object if nothing changes, and another one otherwise', () => {
  expect(mapMessageText(message, (text) => text)).toBe(message);
  const before = structuredClone(message);
  mapMessageText(message, upper);
  expect(message).toEqual(before);
});

test('In the form of a model call, results follow their calls in a separate message', () => {
  expect(toCoreMessages([message])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'hello' },
        { type: 'reasoning', text: 'why' },
        { type: 'tool-call', toolCallId: 'id', toolName: 'clock', input: { zone: 'utc' } },
        { type: 'file', data: 'aGk=', mediaType: 'text/plain' },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'id', toolName: 'clock', output: { type: 'json', value: 'noon' } }],
    },
  ]);
});

test('An old message without parts consists of its flat text in every form', () => {
  const old: Message = { ...buildTextMessage('m', 'user', ''), content: { format: 2, parts: [], content: 'flat' } };
  expect(toUiMessages([old])[0]?.parts).toEqual([{ type: 'text', text: 'flat' }]);
  expect(toCoreMessages([old])).toEqual([{ role: 'user', content: [{ type: 'text', text: 'flat' }] }]);
});
