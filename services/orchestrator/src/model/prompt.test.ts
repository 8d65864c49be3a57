import {
  INSTRUCTIONS_TAG,
  buildTextMessage,
  withCallerSystem,
  type Conversation,
  type Message,
  type MessagePart,
  type SystemMessage,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { FEEDBACK_TAG } from '../state/run-state.ts';
import { buildPrompt } from './prompt.ts';

const conversation = (messages: Message[], system: SystemMessage[] = []): Conversation => ({
  entries: messages.map((message) => ({ source: 'input', message })),
  system,
});
const message = (role: Message['role'], parts: MessagePart[], content?: string): Message => {
  const made = buildTextMessage('m', role, '');
  return { ...made, content: { format: 2, parts, ...(content !== undefined && { content }) } };
};
const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (more: object): MessagePart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'call', toolCallId: 'c1', toolName: 'clock', args: { zone: 'UTC' }, ...more },
});
const none = makePlan([]);
const memories = makePlan([
  planEntry('semantic-recall', { memory: true }),
  planEntry('facts', { memory: true, memoryKey: 'workingMemory' }),
]);
const prompt = (...messages: Message[]) => buildPrompt(conversation(messages), none);

describe('system messages', () => {
  test('have a fixed order, whichever processor added them and when', () => {
    const tags = [FEEDBACK_TAG, 'semantic-recall:as', 'other', 'facts', INSTRUCTIONS_TAG, 'another'];
    const system = tags.map((tag) => ({ tag, content: tag }));
    expect(buildPrompt(conversation([], system), memories).map(({ content }) => content)).toEqual([
      INSTRUCTIONS_TAG,
      'other',
      'another',
      'facts',
      'semantic-recall:as',
      FEEDBACK_TAG,
    ]);
  });

  test('precede all others, and those of one group keep their order', () => {
    const system = ['one', 'two'].map((content) => ({ tag: INSTRUCTIONS_TAG, content }));
    expect(buildPrompt(conversation([buildTextMessage('m', 'user', 'hi')], system), none)).toMatchObject([
      { role: 'system', content: 'one' },
      { role: 'system', content: 'two' },
      { role: 'user' },
    ]);
  });

  test('among the messages stay at their position', () => {
    const { entries } = conversation([buildTextMessage('a', 'user', 'hi'), buildTextMessage('c', 'user', 'ho')]);
    const note = { source: 'context' as const, message: buildTextMessage('b', 'system', 'note') };
    const roles = buildPrompt({ entries: entries.toSpliced(1, 0, note), system: [] }, none).map(({ role }) => role);
    expect(roles).toEqual(['user', 'system', 'user']);
  });

  test('that a caller submitted are read once, in front of the messages', () => {
    const given = conversation([buildTextMessage('a', 'user', 'hi'), buildTextMessage('b', 'system', 'note')]);
    expect(buildPrompt(withCallerSystem(given), none)).toMatchObject([
      { role: 'system', content: 'note' },
      { role: 'user' },
    ]);
  });
});

describe('a user message', () => {
  test('has its texts and files, in order', () => {
    const file = (data: string): MessagePart => ({ type: 'file', data, mimeType: 'image/png' });
    expect(prompt(message('user', [text('see'), file('aGk='), file('https://example.com/a.png')]))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
        ],
      },
    ]);
  });

  test('of an old form has its flat text in addition to its parts', () => {
    const file: MessagePart = { type: 'file', data: 'aGk=', mimeType: 'image/png' };
    expect(prompt(message('user', [], 'flat'))).toMatchObject([{ content: [{ type: 'text', text: 'flat' }] }]);
    expect(prompt(message('user', [file], 'flat'))).toMatchObject([{ content: [{ text: 'flat' }, { type: 'file' }] }]);
    expect(prompt(message('user', [text('real')], 'flat'))).toMatchObject([{ content: [{ text: 'real' }] }]);
  });

  test('without content for the model is omitted', () => {
    const other = { type: 'made-up', value: 1 };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parts of unknown types are carried along
    expect(prompt(message('user', [other as unknown as MessagePart]))).toEqual([]);
  });
});

describe('an assistant message', () => {
  test('with a call that was answered is two: the call, and its result', () => {
    expect(prompt(message('assistant', [text('see'), call({ state: 'result', result: { at: 'noon' } })]))).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'see' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: { zone: 'UTC' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'clock',
            output: { type: 'json', value: { at: 'noon' } },
          },
        ],
      },
    ]);
  });

  test.each([
    [
      'an error',
      { state: 'result', result: { error: 'x' }, isError: true },
      { type: 'error-json', value: { error: 'x' } },
    ],
    ['no result', { state: 'result' }, { type: 'json', value: null }],
    [
      'a denial',
      { state: 'result', result: { reason: 'no' }, denied: true },
      { type: 'execution-denied', reason: 'no' },
    ],
    ['a denial without words', { state: 'result', denied: true }, { type: 'execution-denied', reason: 'Denied.' }],
    ['an open call', {}, { type: 'error-text', value: 'The tool was not executed.' }],
    ['half a call', { state: 'partial-call' }, { type: 'error-text', value: 'The tool was not executed.' }],
  ])('with %s is marked, because providers refuse a prompt with open calls', (_what, more, output) => {
    expect(prompt(message('assistant', [call(more)]))[1]).toMatchObject({ role: 'tool', content: [{ output }] });
  });

  test('names its files, because providers accept none in an answer', () => {
    const parts: MessagePart[] = [text('see'), { type: 'file', data: 'aGk=', mimeType: 'image/png' }];
    const omitted = '[A file of the type image/png is omitted here: providers accept no files in answers.]';
    expect(prompt(message('assistant', parts))).toMatchObject([{ content: [text('see'), { text: omitted }] }]);
  });

  test('does not send reasoning, sources and empty texts back', () => {
    const parts: MessagePart[] = [{ type: 'reasoning', reasoning: 'hm' }, { type: 'source', source: {} }, text('')];
    expect(prompt(message('assistant', parts))).toEqual([]);
  });
});
