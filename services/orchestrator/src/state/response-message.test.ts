import { textMessage, type Message, type MessagePart, type ToolInvocationPart } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { responseMessageId, textOf, toolCallsOf, withResults, withText, withToolCalls } from './response-message.ts';

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (toolCallId: string, args: object = {}): ToolInvocationPart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'call', toolCallId, toolName: 'clock', args: { ...args } },
});
const message = (...parts: MessagePart[]): Message => {
  const made = textMessage('run-1.0', 'assistant', '');
  return { ...made, content: { ...made.content, parts } };
};
const ids = (made: Message) => toolCallsOf(made).map(({ toolCallId }) => toolCallId);

test('a response message has the id of run and step, so that a repeated step replaces it', () => {
  expect(responseMessageId('run-1', 3)).toBe('run-1.3');
});

describe('reading a response message', () => {
  test('gives the text of all text parts', () => {
    expect(textOf(message(text('a'), call('c1'), text('b')))).toBe('ab');
  });

  test('gives the calls that are ours to make', () => {
    const { toolInvocation } = call('p1');
    const provider = { type: 'tool-invocation' as const, toolInvocation, providerExecuted: true };
    expect(ids(message(call('c1'), provider, call('c2')))).toEqual(['c1', 'c2']);
  });
});

describe('a new text of a response message', () => {
  test('stands where the first text stood, and is the only one', () => {
    const made = withText(message({ type: 'reasoning', reasoning: 'hm' }, text('a'), call('c1'), text('b')), 'new');
    expect(made.content.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-invocation']);
    expect(textOf(made)).toBe('new');
  });

  test('comes last where there was none', () => {
    expect(withText(message(call('c1')), 'new').content.parts.map(({ type }) => type)).toEqual([
      'tool-invocation',
      'text',
    ]);
  });
});

describe('new calls of a response message', () => {
  test('keep the places of those that are there, drop the others, and add what is new', () => {
    const changed = { toolCallId: 'c2', toolName: 'clock', args: { zone: 'UTC' } };
    const added = { toolCallId: 'c3', toolName: 'clock', args: {} };
    const made = withToolCalls(message(call('c1'), text('a'), call('c2')), [added, changed]);
    expect(ids(made)).toEqual(['c2', 'c3']);
    expect(toolCallsOf(made)[0]?.args).toEqual({ zone: 'UTC' });
    expect(textOf(made)).toBe('a');
  });

  test('may be none', () => {
    expect(ids(withToolCalls(message(call('c1')), []))).toEqual([]);
  });
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

  test('close their calls, with the arguments that were really used', () => {
    const made = withResults(message(call('c1'), call('c2')), [result('c1'), result('c2', { isError: true })]);
    expect(made.content.parts).toMatchObject([
      { toolInvocation: { state: 'result', args: { judged: true }, result: 'noon', isError: false } },
      { toolInvocation: { state: 'result', isError: true } },
    ]);
  });

  test('say of a denied call that it was denied', () => {
    const [part] = withResults(message(call('c1')), [result('c1', { denied: true })]).content.parts;
    expect(part).toMatchObject({ toolInvocation: { denied: true } });
  });

  test('of two calls that a provider gave one id are told apart by their order', () => {
    const made = withResults(message(call('c1'), call('c1')), [
      result('c1', { result: 1 }),
      result('c1', { result: 2 }),
    ]);
    expect(made.content.parts).toMatchObject([{ toolInvocation: { result: 1 } }, { toolInvocation: { result: 2 } }]);
  });

  test('leave a call without one open, and everything else alone', () => {
    const before = message(text('a'), call('c1'));
    expect(withResults(before, [result('other')])).toEqual(before);
  });
});
