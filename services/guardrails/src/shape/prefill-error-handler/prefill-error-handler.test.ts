import { buildTextMessage, type Message, type MessagePart } from '@millrace/contracts';
import { inputArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { prefillErrorHandler } from './prefill-error-handler.ts';

const ANTHROPIC =
  'This model does not support assistant message prefill. The conversation must end with a user message.';
const answer = (...parts: MessagePart[]): Message => ({
  ...buildTextMessage('a', 'assistant', 'So far:'),
  content: { format: 2, parts: [{ type: 'text', text: 'So far:' }, ...parts] },
});

function handle(error: unknown, messages: (string | Message)[] = ['Hello', answer()], options: object = {}) {
  const args = { ...inputArgs(messages), error, model: 'openai/x', steps: [] };
  const processor = prefillErrorHandler.create(prefillErrorHandler.options.parse(options));
  return { answer: processor.processAPIError?.(args), ops: args.messageList.takeOps() };
}

describe('recognized errors', () => {
  test.each([
    ['Anthropic', new Error(ANTHROPIC)],
    [
      'Mistral',
      new Error('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant'),
    ],
    ['Google', new Error('Please ensure that single turn requests end with a user role or the role field is empty.')],
    ['a gateway', Object.assign(new Error('Bad Request'), { responseBody: JSON.stringify({ error: ANTHROPIC }) })],
  ])('the error of %s is retried with a message of the user', (_, error) => {
    expect(handle(error)).toMatchObject({
      answer: { retry: true },
      ops: [
        {
          op: 'add',
          source: 'context',
          message: { id: 'run-1-guard', role: 'user', content: { parts: [{ text: 'Continue.' }] } },
        },
      ],
    });
  });
  test('message and errors are options', () => {
    const options = { message: 'Please go on.', patterns: ['role .* last'] };
    expect(handle(new Error('The role assistant is last.'), undefined, options)).toMatchObject({
      answer: { retry: true },
      ops: [{ message: { content: { parts: [{ text: 'Please go on.' }] } } }],
    });
  });
});

describe('other failures', () => {
  const call: MessagePart = {
    type: 'tool-invocation',
    toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'clock', args: {}, result: 'noon' },
  };
  test.each<[string, unknown, (string | Message)[]]>([
    ['another error', new Error('context length exceeded'), ['Hello', answer()]],
    ['a value that is no error', ANTHROPIC, ['Hello', answer()]],
    ['a conversation that ends with the user', new Error(ANTHROPIC), [answer(), 'Hello']],
    ['a conversation that ends with a result', new Error(ANTHROPIC), ['Hello', answer(call)]],
    ['an empty conversation', new Error(ANTHROPIC), []],
  ])('%s is left alone', (_, error, messages) => {
    expect(handle(error, messages)).toEqual({ answer: undefined, ops: [] });
  });
  test('an error that is recognized only after its first 8,000 characters is left alone', () => {
    expect(handle(new Error(`${'x'.repeat(8_000)}${ANTHROPIC}`)).answer).toBeUndefined();
  });
});
