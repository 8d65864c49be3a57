import { describe, expect, test } from 'vitest';
import { toolCallsOf, withText, withToolCalls } from './answer-message.ts';
import { applyVerdict } from './judge-verdict.ts';
import { messageText, textMessage, type Message, type MessagePart, type ToolInvocationPart } from './message.ts';
import type { StageInput } from './stage-call.ts';
import type { Verdict } from './verdict.ts';

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

describe('reading an answer', () => {
  test('gives the text of all text parts', () => {
    expect(messageText(message(text('a'), call('c1'), text('b')))).toBe('ab');
  });

  test('gives the calls that are ours to make', () => {
    const { toolInvocation } = call('p1');
    const provider = { type: 'tool-invocation' as const, toolInvocation, providerExecuted: true };
    expect(ids(message(call('c1'), provider, call('c2')))).toEqual(['c1', 'c2']);
  });
});

describe('a new text of an answer', () => {
  test('stands where the first text stood, and is the only one', () => {
    const made = withText(message({ type: 'reasoning', reasoning: 'hm' }, text('a'), call('c1'), text('b')), 'new');
    expect(made.content.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-invocation']);
    expect(messageText(made)).toBe('new');
  });

  test('comes last where there was none', () => {
    expect(withText(message(call('c1')), 'new').content.parts.map(({ type }) => type)).toEqual([
      'tool-invocation',
      'text',
    ]);
  });
});

describe('new calls of an answer', () => {
  test('keep the places of those that are there, drop the others, and add what is new', () => {
    const changed = { toolCallId: 'c2', toolName: 'clock', args: { zone: 'UTC' } };
    const added = { toolCallId: 'c3', toolName: 'clock', args: {} };
    const made = withToolCalls(message(call('c1'), text('a'), call('c2')), [added, changed]);
    expect(ids(made)).toEqual(['c2', 'c3']);
    expect(toolCallsOf(made)[0]?.args).toEqual({ zone: 'UTC' });
    expect(messageText(made)).toBe('a');
  });

  test('may be none', () => {
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
    toolCalls: toolCallsOf(answer),
  };
  const after = (changes: NonNullable<Extract<Verdict, { type: 'continue' }>['changes']>, before = given) =>
    applyVerdict('processOutputStep', before, { type: 'continue', changes }).input;
  const said = ({ conversation }: StageInput) => {
    const [entry] = conversation?.entries ?? [];
    return entry && { text: messageText(entry.message), calls: ids(entry.message) };
  };

  test('say the same where a processor replaces the message', () => {
    const other = message(text('It is one.'), call('c2'));
    const next = after({ ops: [{ op: 'replace', message: other }] });
    expect(next).toMatchObject({ text: 'It is one.', toolCalls: [{ toolCallId: 'c2' }] });
  });

  test('say the same where a processor gives another text, or other calls', () => {
    const next = after({ text: 'Noon.', toolCalls: [] });
    expect(said(next)).toEqual({ text: 'Noon.', calls: [] });
    expect(next).toMatchObject({ text: 'Noon.', toolCalls: [] });
  });

  test('a text that is given beside a changed message is the text of both', () => {
    const other = message(text('no'), call('c2'));
    const next = after({ ops: [{ op: 'replace', message: other }], text: 'yes' });
    expect(said(next)).toEqual({ text: 'yes', calls: ['c2'] });
    expect(next).toMatchObject({ text: 'yes', toolCalls: [{ toolCallId: 'c2' }] });
  });

  test('are empty where the message is removed', () => {
    expect(after({ ops: [{ op: 'remove', ids: [answer.id] }] })).toMatchObject({ text: '', toolCalls: [] });
  });

  test('stay as they are where nobody touches the answer', () => {
    const next = after({ ops: [{ op: 'add', source: 'context', message: textMessage('x', 'user', 'more') }] });
    expect(next.conversation?.entries[0]?.message).toBe(answer);
    expect(next.text).toBe('It is noon.');
  });

  test('a text is taken where the message was not sent', () => {
    const blind = { ...given, conversation: { entries: [], system: [] } };
    expect(after({ text: 'Noon.' }, blind)).toMatchObject({ text: 'Noon.', conversation: { entries: [] } });
  });
});
