import { describe, expect, test } from 'vitest';
import { readToolCalls, withText, withToolCalls } from './answer-message.ts';
import { applyVerdict } from '../stage/judge-verdict.ts';
import {
  readMessageText,
  buildTextMessage,
  type Message,
  type MessagePart,
  type ToolInvocationPart,
} from './message.ts';
import type { StageInput } from '../stage/stage-call.ts';
import type { Verdict } from '../stage/verdict.ts';

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (toolCallId: string, args: object = {}): ToolInvocationPart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'call', toolCallId, toolName: 'clock', args: { ...args } },
});
const message = (...parts: MessagePart[]): Message => {
  const made = buildTextMessage('run-1.0', 'assistant', '');
  return { ...made, content: { ...made.content, parts } };
};
const ids = (made: Message) => readToolCalls(made).map(({ toolCallId }) => toolCallId);

describe('reading an answer', () => {
  test('readMessageText joins all text parts of an answer', () => {
    expect(readMessageText(message(text('a'), call('c1'), text('b')))).toBe('ab');
  });

  test('readToolCalls returns the calls that the orchestrator must make', () => {
    const { toolInvocation } = call('p1');
    const provider = { type: 'tool-invocation' as const, toolInvocation, providerExecuted: true };
    expect(ids(message(call('c1'), provider, call('c2')))).toEqual(['c1', 'c2']);
  });
});

describe('a new text of an answer', () => {
  test('withText replaces all text parts by one at the position of the first', () => {
    const made = withText(message({ type: 'reasoning', reasoning: 'hm' }, text('a'), call('c1'), text('b')), 'new');
    expect(made.content.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-invocation']);
    expect(readMessageText(made)).toBe('new');
  });

  test('withText appends the text if the answer has none', () => {
    expect(withText(message(call('c1')), 'new').content.parts.map(({ type }) => type)).toEqual([
      'tool-invocation',
      'text',
    ]);
  });
});

describe('new calls of an answer', () => {
  test('withToolCalls keeps the positions of existing calls, removes the others and appends new ones', () => {
    const changed = { toolCallId: 'c2', toolName: 'clock', args: { zone: 'UTC' } };
    const added = { toolCallId: 'c3', toolName: 'clock', args: {} };
    const made = withToolCalls(message(call('c1'), text('a'), call('c2')), [added, changed]);
    expect(ids(made)).toEqual(['c2', 'c3']);
    expect(readToolCalls(made)[0]?.args).toEqual({ zone: 'UTC' });
    expect(readMessageText(made)).toBe('a');
  });

  test('withToolCalls accepts an empty list', () => {
    expect(ids(withToolCalls(message(call('c1')), []))).toEqual([]);
  });
});

describe('text, calls and message of an answer in processOutputStep', () => {
  const answer = message(text('It is '), call('c1'), text('noon.'));
  const given: StageInput = {
    retryCount: 0,
    stepNumber: 0,
    messageId: answer.id,
    conversation: { entries: [{ source: 'response', message: answer }], system: [] },
    text: 'It is noon.',
    toolCalls: readToolCalls(answer),
  };
  const applyToGiven = (changes: NonNullable<Extract<Verdict, { type: 'continue' }>['changes']>, before = given) =>
    applyVerdict('processOutputStep', before, { type: 'continue', changes }).input;
  const readConversation = ({ conversation }: StageInput) => {
    const [entry] = conversation?.entries ?? [];
    return entry && { text: readMessageText(entry.message), calls: ids(entry.message) };
  };

  test('Text, calls and message agree after a processor replaces the message', () => {
    const other = message(text('It is one.'), call('c2'));
    const next = applyToGiven({ ops: [{ op: 'replace', message: other }] });
    expect(next).toMatchObject({ text: 'It is one.', toolCalls: [{ toolCallId: 'c2' }] });
  });

  test('Text, calls and message agree after a processor changes the text or the calls', () => {
    const next = applyToGiven({ text: 'Noon.', toolCalls: [] });
    expect(readConversation(next)).toEqual({ text: 'Noon.', calls: [] });
    expect(next).toMatchObject({ text: 'Noon.', toolCalls: [] });
  });

  test('A changed text overrides the text of a changed message', () => {
    const other = message(text('no'), call('c2'));
    const next = applyToGiven({ ops: [{ op: 'replace', message: other }], text: 'yes' });
    expect(readConversation(next)).toEqual({ text: 'yes', calls: ['c2'] });
    expect(next).toMatchObject({ text: 'yes', toolCalls: [{ toolCallId: 'c2' }] });
  });

  test('Text and calls are empty after a processor removes the message', () => {
    expect(applyToGiven({ ops: [{ op: 'remove', ids: [answer.id] }] })).toMatchObject({ text: '', toolCalls: [] });
  });

  test('Text, calls and message are unchanged if no processor changes the answer', () => {
    const next = applyToGiven({
      ops: [{ op: 'add', source: 'context', message: buildTextMessage('x', 'user', 'more') }],
    });
    expect(next.conversation?.entries[0]?.message).toBe(answer);
    expect(next.text).toBe('It is noon.');
  });

  test('A changed text is accepted if the message was not sent', () => {
    const blind = { ...given, conversation: { entries: [], system: [] } };
    expect(applyToGiven({ text: 'Noon.' }, blind)).toMatchObject({ text: 'Noon.', conversation: { entries: [] } });
  });
});
