import { buildTextMessage, type Message, type MessagePart, type ToolInvocationPart } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { buildResponseMessageId, withResults } from './response-message.ts';

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (toolCallId: string, args: object = {}): ToolInvocationPart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'call', toolCallId, toolName: 'clock', args: { ...args } },
});
const message = (...parts: MessagePart[]): Message => {
  const made = buildTextMessage('run-1.0', 'assistant', '');
  return { ...made, content: { ...made.content, parts } };
};

test('a response message has the id of run and step, so that a repeated step replaces it', () => {
  expect(buildResponseMessageId('run-1', 3)).toBe('run-1.3');
});

describe('results in a response message', () => {
  const result = (toolCallId: string, more: object = {}) => ({
    toolCallId,
    toolName: 'clock',
    args: { judged: true },
    result: 'noon',
    isError: false,
    ...more,
  });

  test('close their calls, with the arguments that were used', () => {
    const made = withResults(message(call('c1'), call('c2')), [result('c1'), result('c2', { isError: true })]);
    expect(made.content.parts).toMatchObject([
      { toolInvocation: { state: 'result', args: { judged: true }, result: 'noon', isError: false } },
      { toolInvocation: { state: 'result', isError: true } },
    ]);
  });

  test('mark a denied call as denied', () => {
    const [part] = withResults(message(call('c1')), [result('c1', { denied: true })]).content.parts;
    expect(part).toMatchObject({ toolInvocation: { denied: true } });
  });

  test('of two calls with the same provider id are matched by their order', () => {
    const made = withResults(message(call('c1'), call('c1')), [
      result('c1', { result: 1 }),
      result('c1', { result: 2 }),
    ]);
    expect(made.content.parts).toMatchObject([{ toolInvocation: { result: 1 } }, { toolInvocation: { result: 2 } }]);
  });

  test('leave a call without a result open and change nothing else', () => {
    const before = message(text('a'), call('c1'));
    expect(withResults(before, [result('other')])).toEqual(before);
  });
});
