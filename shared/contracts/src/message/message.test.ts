import { describe, expect, test } from 'vitest';
import { messageSchema, readMessageText, buildTextMessage, type Message } from './message.ts';

const buildMessage = (parts: unknown[], more: object = {}) => ({
  id: 'm1',
  role: 'user',
  createdAt: '2026-01-01T00:00:00.000Z',
  content: { format: 2, parts, ...more },
});
const fits = (message: unknown) => messageSchema.safeParse(message).success;

describe('parts', () => {
  const toolInvocation = { state: 'result', toolCallId: '1', toolName: 'clock', args: {}, result: 'noon' };
  test.each([
    { type: 'text', text: 'hello', providerMetadata: { x: 1 } },
    { type: 'tool-invocation', toolInvocation },
    { type: 'file', data: 'aGk=', mimeType: 'text/plain' },
    { type: 'of-a-later-version', anything: [1] },
  ])('$type passes unchanged', (part) =>
    expect(messageSchema.parse(buildMessage([part])).content.parts).toEqual([part]),
  );

  test.each([
    { type: 'text' },
    { type: 'text', text: 3 },
    { type: 'tool-invocation', toolInvocation: { ...toolInvocation, state: 'else' } },
    { type: 'file', data: 'aGk=' },
    { text: 'without a type' },
    null,
  ])('The part %j is rejected, and is not accepted as an unknown part', (part) =>
    expect(fits(buildMessage([part]))).toBe(false),
  );
});

test('a message has an id of 1 to 200 characters, a role and a time', () => {
  expect(fits(buildMessage([]))).toBe(true);
  for (const wrong of [{ id: '' }, { id: 'x'.repeat(201) }, { role: 'bot' }, { createdAt: 3 }, { content: 'text' }]) {
    expect(fits({ ...buildMessage([]), ...wrong })).toBe(false);
  }
});

describe('the text of a message', () => {
  test('readMessageText joins the text parts and ignores the flat content', () => {
    const message = messageSchema.parse(
      buildMessage(
        [
          { type: 'text', text: 'a' },
          { type: 'reasoning', reasoning: 'hidden' },
          { type: 'text', text: 'b' },
        ],
        { content: 'flat' },
      ),
    );
    expect(readMessageText(message)).toBe('ab');
  });

  test('readMessageText returns the flat content if the message has no text part', () => {
    expect(readMessageText(messageSchema.parse(buildMessage([], { content: 'flat' })))).toBe('flat');
    expect(readMessageText(messageSchema.parse(buildMessage([{ type: 'step-start' }])))).toBe('');
  });
});

test('a message made of text fits the schema', () => {
  const message: Message = buildTextMessage('m1', 'assistant', 'hello');
  expect(messageSchema.parse(message)).toEqual(message);
  expect(readMessageText(message)).toBe('hello');
});
