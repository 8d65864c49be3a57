import { STAGES, textMessage, type Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { MessageList } from '../message-list/message-list.ts';
import { verdictOf } from '../testing/one-method.ts';

type CalledStage = Exclude<Stage, 'processOutputStream'>;
const stages = STAGES.filter((stage): stage is CalledStage => stage !== 'processOutputStream');
const returning = (stage: CalledStage, result: unknown) => verdictOf(stage, () => result);
const failure = (code: string, message: RegExp) => ({ type: 'failure', code, message: expect.stringMatching(message) });
const message = textMessage('new', 'user', 'new');

describe('a return value that changes nothing', () => {
  test.each(stages)('%s: undefined, null and an empty object, at once or later', async (stage) => {
    for (const result of [undefined, null, {}, Promise.resolve(undefined)]) {
      expect(await returning(stage, result)).toEqual({ type: 'continue' });
    }
  });

  test('the given list itself, and the given messages', async () => {
    expect(await verdictOf('processInput', ({ messageList }) => messageList)).toEqual({ type: 'continue' });
    expect(await verdictOf('processInput', ({ messages }) => messages)).toEqual({ type: 'continue' });
    expect(await verdictOf('processOutputStep', ({ messageList }) => ({ messageList }))).toEqual({ type: 'continue' });
  });

  test('an empty array from an output stage; from an input stage it removes everything', async () => {
    expect(await returning('processOutputResult', [])).toEqual({ type: 'continue' });
    expect(await returning('processOutputStep', { messages: [] })).toEqual({ type: 'continue' });
    expect(await returning('processInput', [])).toMatchObject({
      changes: { ops: [{ op: 'remove', ids: ['input-0', 'response-0'] }] },
    });
  });

  test('whatever processLLMResponse returns', async () => {
    expect(await returning('processLLMResponse', { anything: 1 })).toEqual({ type: 'continue' });
  });
});

describe('a return value that changes something', () => {
  const add = (source: string) => ({ ops: expect.arrayContaining([{ op: 'add', source, message }]) });
  test.each([
    ['processInput', [message], add('input')],
    ['processInput', { messages: [message] }, add('input')],
    ['processInputStep', { messages: [message], model: 'openai/b' }, { ...add('input'), model: 'openai/b' }],
    [
      'processInputStep',
      { activeTools: ['clock'], toolChoice: 'none' },
      { activeTools: ['clock'], toolChoice: 'none' },
    ],
    ['processInputStep', { modelSettings: { temperature: 0 } }, { modelSettings: { temperature: 0 } }],
    ['processLLMRequest', { prompt: [{ role: 'user', content: [] }] }, { prompt: [{ role: 'user', content: [] }] }],
    ['processOutputStep', { text: 'other' }, { text: 'other' }],
    ['processOutputStep', { toolCalls: [] }, { toolCalls: [] }],
    ['processOutputStep', [message], add('response')],
    ['processOutputResult', [message], add('response')],
    ['processToolCall', { args: { zone: 'CET' } }, { args: { zone: 'CET' } }],
    ['processToolCall', { call: { toolCallId: '1', toolName: 'clock', args: {} } }, { args: {} }],
    ['processToolResult', { result: null, isError: true }, { result: null, isError: true }],
  ] as const)('%s: %j', async (stage, result, changes) => {
    expect(await returning(stage, result)).toEqual({ type: 'continue', changes });
  });

  test('tools by name travel as a list', async () => {
    const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: false, timeoutMs: 1 };
    const expected = { type: 'continue', changes: { tools: [tool] } };
    expect(await returning('processInputStep', { tools: { clock: tool } })).toEqual(expected);
    expect(await returning('processInputStep', { tools: [tool] })).toEqual(expected);
  });

  test('what is done to the list counts beside what is returned', async () => {
    const verdict = await verdictOf('processInputStep', ({ messageList }) => {
      messageList.addSystem('Be brief.', 'mine');
      return { model: 'openai/b' };
    });
    expect(verdict).toEqual({
      type: 'continue',
      changes: { model: 'openai/b', ops: [{ op: 'system-add', tag: 'mine', contents: ['Be brief.'] }] },
    });
  });

  test('system messages may be of the form that others write', async () => {
    const systemMessages = [
      { role: 'system', content: 'a' },
      { tag: 't', content: 'b' },
    ];
    expect(await verdictOf('processInput', ({ messages }) => ({ messages, systemMessages }))).toMatchObject({
      changes: {
        ops: [
          {
            op: 'system-all',
            messages: [
              { tag: 'processor', content: 'a' },
              { tag: 't', content: 'b' },
            ],
          },
        ],
      },
    });
  });
});

describe('verdicts that are returned', () => {
  test.each([
    [
      'halt',
      'processInput',
      { halt: true, response: 'done', reason: 'why' },
      { type: 'halt', response: 'done', reason: 'why' },
    ],
    ['halt by its reason alone', 'processOutputStep', { halt: true, reason: 'why' }, { type: 'halt', response: 'why' }],
    ['halt without a text', 'processOutputResult', { halt: true }, { type: 'halt', response: '' }],
    ['halt of a request', 'processLLMRequest', { halt: true, response: 'done' }, { type: 'halt', response: 'done' }],
    ['deny', 'processToolCall', { deny: true, reason: 'no', code: 'c' }, { type: 'deny', reason: 'no', code: 'c' }],
    [
      'deny as other frameworks return it',
      'processToolCall',
      { call: { args: {} }, deny: true, reason: 'no' },
      { type: 'deny', reason: 'no' },
    ],
    ['no deny', 'processToolCall', { deny: false, reason: 'fine' }, { type: 'continue' }],
    ['respond', 'processLLMRequest', { response: { chunks: [] } }, { type: 'respond', chunks: [] }],
    ['retry', 'processAPIError', { retry: true }, { type: 'retry' }],
    ['retry with a model', 'processAPIError', { retry: true, model: 'openai/b' }, { type: 'retry', model: 'openai/b' }],
    ['no retry', 'processAPIError', { retry: false }, { type: 'continue' }],
  ] as const)('%s', async (_name, stage, result, verdict) => {
    expect(await returning(stage, result)).toMatchObject(verdict);
  });

  test('a halt may carry what was changed before', async () => {
    const verdict = await verdictOf('processInput', ({ messageList }) => {
      messageList.removeByIds(['input-0']);
      return { halt: true, response: 'done' };
    });
    expect(verdict).toMatchObject({ type: 'halt', changes: { ops: [{ op: 'remove', ids: ['input-0'] }] } });
  });
});

describe('a verdict that the stage does not allow is a failure that names both', () => {
  test.each(stages.filter((stage) => stage !== 'processToolCall' && stage !== 'processLLMResponse'))(
    'deny: %s',
    async (stage) => {
      const expected = failure('processor-verdict-refused', new RegExp(`${stage}.*"deny"`));
      expect(await returning(stage, { deny: true, reason: 'x' })).toMatchObject(expected);
    },
  );

  test('halt: processAPIError', async () => {
    expect(await returning('processAPIError', { halt: true })).toMatchObject(
      failure('processor-verdict-refused', /processAPIError.*"halt"/),
    );
  });

  test.each(['processInput', 'processToolCall', 'processOutputStep'] as const)('a cached answer: %s', async (stage) => {
    expect(await returning(stage, { chunks: [] })).toMatchObject(failure('processor-verdict-refused', /"respond"/));
  });
});

describe('what cannot be read is refused by its name, never ignored', () => {
  test.each([
    ['a member of another stage', 'processInput', { model: 'openai/b' }, /processInput cannot change "model"/],
    ['a member that does not exist', 'processInputStep', { temperatur: 1 }, /temperatur/],
    ['a value that does not fit', 'processInputStep', { model: 'gpt' }, /model must be "openai/],
    ['messages that are none', 'processInput', [{ id: 'x', text: 'hello' }], /ops/],
    ['a response without halt', 'processInput', { response: 'done' }, /"response"/],
    ['a response that is none', 'processLLMRequest', { response: 'text' }, /"response"/],
    ['a reason without a verdict', 'processInput', { reason: 'why' }, /"reason"/],
    ['a code without deny', 'processToolCall', { code: 'c' }, /"code"/],
    ['a retry elsewhere', 'processOutputStep', { retry: true }, /"retry"/],
    ['a result of a tool call', 'processToolCall', { result: 1 }, /processToolCall cannot change "result"/],
  ] as const)('%s', async (_name, stage, result, text) => {
    expect(await returning(stage, result)).toMatchObject(failure('processor-verdict-refused', text));
  });

  test.each([
    ['a function', 'processInputStep', { toolChoice: () => 'auto' }, 'not-json', /toolChoice/],
    ['a model instance', 'processInputStep', { model: { specificationVersion: 'v4' } }, 'not-json', /model/],
    ['a text', 'processInput', 'hello', 'processor-failed', /string/],
    ['a number', 'processToolResult', 3, 'processor-failed', /number/],
    ['an array', 'processToolCall', [], 'processor-failed', /array/],
  ] as const)('%s', async (_name, stage, result, code, text) => {
    expect(await returning(stage, result)).toMatchObject(failure(code, text));
  });

  test('another MessageList, and messages beside messageList', async () => {
    const other = new MessageList({ entries: [], system: [] }, 'input');
    expect(await returning('processInput', other)).toMatchObject(
      failure('message-list-foreign', /Another MessageList/),
    );
    expect(await returning('processInput', { messageList: other })).toMatchObject(failure('message-list-foreign', /./));
    expect(await verdictOf('processInput', ({ messageList }) => ({ messageList, messages: [] }))).toMatchObject(
      failure('message-list-and-messages', /both/),
    );
  });

  test('messages that are changed where the stage may not', async () => {
    const verdict = await verdictOf('processToolResult', ({ messageList }) => {
      messageList.add('more');
    });
    expect(verdict).toMatchObject(failure('processor-verdict-refused', /processToolResult cannot change "ops"/));
  });
});
