import { STAGES, buildTextMessage, type Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { MessageList } from '../message-list/message-list.ts';
import { callForVerdict } from '../testing/one-method.ts';

type CalledStage = Exclude<Stage, 'processOutputStream'>;
const stages = STAGES.filter((stage): stage is CalledStage => stage !== 'processOutputStream');
const returning = (stage: CalledStage, result: unknown) => callForVerdict(stage, () => result);
const failure = (code: string, message: RegExp) => ({ type: 'failure', code, message: expect.stringMatching(message) });
const message = buildTextMessage('new', 'user', 'new');

describe('return values without changes', () => {
  test.each(stages)('%s: undefined, null and an empty object change nothing, also asynchronously', async (stage) => {
    for (const result of [undefined, null, {}, Promise.resolve(undefined)]) {
      expect(await returning(stage, result)).toEqual({ type: 'continue' });
    }
  });

  test('The given list itself and the given messages change nothing', async () => {
    expect(await callForVerdict('processInput', ({ messageList }) => messageList)).toEqual({ type: 'continue' });
    expect(await callForVerdict('processInput', ({ messages }) => messages)).toEqual({ type: 'continue' });
    expect(await callForVerdict('processOutputStep', ({ messageList }) => ({ messageList }))).toEqual({
      type: 'continue',
    });
  });

  test('An empty array from an output stage changes nothing; from an input stage it removes all messages', async () => {
    expect(await returning('processOutputResult', [])).toEqual({ type: 'continue' });
    expect(await returning('processOutputStep', { messages: [] })).toEqual({ type: 'continue' });
    expect(await returning('processInput', [])).toMatchObject({
      changes: { ops: [{ op: 'remove', ids: ['input-0', 'response-0'] }] },
    });
  });

  test('Any return value of processLLMResponse changes nothing', async () => {
    expect(await returning('processLLMResponse', { anything: 1 })).toEqual({ type: 'continue' });
  });
});

describe('return values with changes', () => {
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
  ] as const)('%s accepts the return value %j', async (stage, result, changes) => {
    expect(await returning(stage, result)).toEqual({ type: 'continue', changes });
  });

  test('Tools by name are sent as a list', async () => {
    const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: false, timeoutMs: 1 };
    const expected = { type: 'continue', changes: { tools: [tool] } };
    expect(await returning('processInputStep', { tools: { clock: tool } })).toEqual(expected);
    expect(await returning('processInputStep', { tools: [tool] })).toEqual(expected);
  });

  test('Operations on the list and the return value both apply', async () => {
    const verdict = await callForVerdict('processInputStep', ({ messageList }) => {
      messageList.addSystem('Be brief.', 'mine');
      return { model: 'openai/b' };
    });
    expect(verdict).toEqual({
      type: 'continue',
      changes: { model: 'openai/b', ops: [{ op: 'system-add', tag: 'mine', contents: ['Be brief.'] }] },
    });
  });

  test('System messages may have the form of other frameworks', async () => {
    const systemMessages = [
      { role: 'system', content: 'a' },
      { tag: 't', content: 'b' },
    ];
    expect(await callForVerdict('processInput', ({ messages }) => ({ messages, systemMessages }))).toMatchObject({
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

describe('returned verdicts', () => {
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
    [
      'respond with chunks without run and sender',
      'processLLMRequest',
      { response: { chunks: [{ type: 'text-delta', payload: { id: 't', text: 'a' } }] } },
      { type: 'respond', chunks: [{ type: 'text-delta', from: 'AGENT', payload: { id: 't', text: 'a' } }] },
    ],
    ['retry', 'processAPIError', { retry: true }, { type: 'retry' }],
    ['retry with a model', 'processAPIError', { retry: true, model: 'openai/b' }, { type: 'retry', model: 'openai/b' }],
    ['no retry', 'processAPIError', { retry: false }, { type: 'continue' }],
  ] as const)('The method returns the verdict: %s', async (_name, stage, result, verdict) => {
    expect(await returning(stage, result)).toMatchObject(verdict);
  });

  test('A halt may carry earlier changes', async () => {
    const verdict = await callForVerdict('processInput', ({ messageList }) => {
      messageList.removeByIds(['input-0']);
      return { halt: true, response: 'done' };
    });
    expect(verdict).toMatchObject({ type: 'halt', changes: { ops: [{ op: 'remove', ids: ['input-0'] }] } });
  });
});

describe('a returned verdict that the stage does not allow', () => {
  test.each(stages.filter((stage) => stage !== 'processToolCall' && stage !== 'processLLMResponse'))(
    'deny is a failure that names both: %s',
    async (stage) => {
      const expected = failure('processor-verdict-refused', new RegExp(`${stage}.*"deny"`));
      expect(await returning(stage, { deny: true, reason: 'x' })).toMatchObject(expected);
    },
  );

  test('halt is a failure in processAPIError', async () => {
    expect(await returning('processAPIError', { halt: true })).toMatchObject(
      failure('processor-verdict-refused', /processAPIError.*"halt"/),
    );
  });

  test.each(['processInput', 'processToolCall', 'processOutputStep'] as const)(
    'A cached answer is a failure: %s',
    async (stage) => {
      expect(await returning(stage, { chunks: [] })).toMatchObject(failure('processor-verdict-refused', /"respond"/));
    },
  );
});

describe('unreadable return values', () => {
  test.each([
    ['a member of another stage', 'processInput', { model: 'openai/b' }, /processInput cannot change "model"/],
    ['a member that does not exist', 'processInputStep', { temperatur: 1 }, /temperatur/],
    ['a value that does not fit', 'processInputStep', { model: 'gpt' }, /model must be "<provider>/],
    ['messages that are none', 'processInput', [{ id: 'x', text: 'hello' }], /ops/],
    ['a response without halt', 'processInput', { response: 'done' }, /"response"/],
    ['a response that is none', 'processLLMRequest', { response: 'text' }, /"response"/],
    ['a reason without a verdict', 'processInput', { reason: 'why' }, /"reason"/],
    ['a code without deny', 'processToolCall', { code: 'c' }, /"code"/],
    ['a retry elsewhere', 'processOutputStep', { retry: true }, /"retry"/],
    ['a result of a tool call', 'processToolCall', { result: 1 }, /processToolCall cannot change "result"/],
  ] as const)('The return value is rejected by name: %s', async (_name, stage, result, text) => {
    expect(await returning(stage, result)).toMatchObject(failure('processor-verdict-refused', text));
  });

  test.each([
    ['a function', 'processInputStep', { toolChoice: () => 'auto' }, 'not-json', /toolChoice/],
    ['a model instance', 'processInputStep', { model: { specificationVersion: 'v4' } }, 'not-json', /model/],
    ['a text', 'processInput', 'hello', 'processor-failed', /string/],
    ['a number', 'processToolResult', 3, 'processor-failed', /number/],
    ['an array', 'processToolCall', [], 'processor-failed', /array/],
  ] as const)('The member is rejected by name: %s', async (_name, stage, result, code, text) => {
    expect(await returning(stage, result)).toMatchObject(failure(code, text));
  });

  test('Another MessageList, or messages together with messageList, are rejected', async () => {
    const other = new MessageList({ entries: [], system: [] }, 'input');
    expect(await returning('processInput', other)).toMatchObject(
      failure('message-list-foreign', /another MessageList/),
    );
    expect(await returning('processInput', { messageList: other })).toMatchObject(failure('message-list-foreign', /./));
    expect(await callForVerdict('processInput', ({ messageList }) => ({ messageList, messages: [] }))).toMatchObject(
      failure('message-list-and-messages', /both/),
    );
  });

  test('Changed messages are rejected if the stage must not change them', async () => {
    const verdict = await callForVerdict('processToolResult', ({ messageList }) => {
      messageList.add('more');
    });
    expect(verdict).toMatchObject(failure('processor-verdict-refused', /processToolResult cannot change "ops"/));
  });
});
