// Access to data outside of a processor's reads.
import type { Stage } from '@millrace/contracts';
import { buildConversation } from '@millrace/testkit';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { call, define, type Methods } from '../testing/defined.ts';
import { delta, streaming, streamThrough } from '../testing/streaming.ts';

const conversation = buildConversation({ remembered: ['old'], input: ['hello'], response: ['hi'] }, ['Be kind.']);
const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
const input = { conversation, tools: [tool], steps: [], chunks: [], request: {}, prompt: [], text: 'hi' };

const cases: [string, Stage, Methods, string][] = [
  ['messages', 'processInput', { processInput: ({ messages }) => messages }, 'messages'],
  ['messages of the answer', 'processOutputResult', { processOutputResult: ({ messages }) => messages }, 'messages'],
  ['system messages', 'processInput', { processInput: (args) => void args.systemMessages.length }, 'systemMessages'],
  [
    'a view',
    'processInput',
    { processInput: ({ messageList }) => void messageList.get.remembered.db() },
    'messageList.get.remembered',
  ],
  [
    'a view in another form',
    'processInput',
    { processInput: ({ messageList }) => void messageList.get.all.ui() },
    'messageList.get.all',
  ],
  [
    'the list’s system messages',
    'processInput',
    { processInput: ({ messageList }) => void messageList.getSystemMessages() },
    'systemMessages',
  ],
  [
    'the last text of the user',
    'processInput',
    { processInput: ({ messageList }) => void messageList.getLatestUserContent() },
    'getLatestUserContent',
  ],
  ['steps', 'processInputStep', { processInputStep: ({ steps }) => void steps.length }, 'steps'],
  [
    'steps of the result',
    'processOutputResult',
    { processOutputResult: ({ result }) => void result.steps.length },
    'steps',
  ],
  ['tools', 'processInputStep', { processInputStep: ({ tools }) => void Object.keys(tools) }, 'tools'],
  ['the prompt', 'processLLMRequest', { processLLMRequest: ({ prompt }) => void prompt.length }, 'prompt'],
  ['chunks', 'processLLMResponse', { processLLMResponse: ({ chunks }) => void chunks.length }, 'chunks'],
  ['the request', 'processLLMResponse', { processLLMResponse: ({ request }) => void request }, 'request'],
];

test.each(cases)('Access to unread %s fails the call and names them', async (_what, stage, methods, name) => {
  const { verdicts } = await call(stage, [define('blind', methods, { reads: [] })], input);
  expect(verdicts).toMatchObject([
    { type: 'failure', code: 'reads-undeclared', message: expect.stringContaining(name) },
  ]);
});

test('Unread arguments do not fail if they are only passed on', async () => {
  const passOn: Methods = { processInputStep: (args) => void Object.keys({ ...args }) };
  const { verdicts } = await call('processInputStep', [define('blind', passOn, { reads: [] })], input);
  expect(verdicts).toMatchObject([{ type: 'continue' }]);
});

describe('reads by stage', () => {
  const methods: Methods = {
    processInput: ({ messages }) => void messages.length,
    processOutputStep: ({ steps }) => void steps.length,
  };

  test('Reads by stage apply to that stage only, and an absent stage reads nothing', async () => {
    const one = define('one', methods, { reads: { processInput: ['input'] } });
    expect((await call('processInput', [one], input)).verdicts).toMatchObject([{ type: 'continue' }]);
    expect((await call('processOutputStep', [one], input)).verdicts).toMatchObject([
      { type: 'failure', message: expect.stringContaining('processOutputStep') },
    ]);
  });

  test("Reads by stage restrict the stage's input", async () => {
    const seen: number[] = [];
    const look: Methods = { processInput: ({ messages }) => void seen.push(messages.length) };
    await call('processInput', [define('one', look, { reads: { processInput: ['input'] } })], input);
    await call('processInput', [define('one', look, { reads: { processInput: ['input', 'remembered'] } })], input);
    expect(seen).toEqual([1, 2]);
  });
});

test('The output stream applies the reads too', async () => {
  const blind = streaming('blind', ({ part, messageList }) => (messageList.get.input.db(), part), { reads: ['steps'] });
  const { verdicts } = await streamThrough([blind], [delta('a')]);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'reads-undeclared' }]);
});

describe('lazy messages', () => {
  const looking = (look: NonNullable<Methods['processInput']>) =>
    call('processInput', [define('look', { processInput: look }, { reads: ['input', 'system'] })], input);

  test('Spread and printed arguments contain the messages', async () => {
    const seen: unknown[] = [];
    await looking((args) => {
      const copy = { ...args };
      seen.push(copy.messages.length, copy.systemMessages.length, copy.messages === args.messages, inspect(args));
    });
    expect(seen).toEqual([1, 1, true, expect.stringMatching(/messages: \[\s*\{\s*id: 'input-0'/)]);
  });

  test('Messages are those before the method started, at any time of access', async () => {
    const { verdicts } = await looking((args) => {
      args.messageList.removeByIds(['input-0']);
      return args.messages;
    });
    expect(verdicts).toEqual([
      {
        type: 'continue',
        changes: { ops: [{ op: 'remove', ids: ['input-0'] }, expect.objectContaining({ op: 'add' })] },
      },
    ]);
  });

  test('A message that was replaced in the list before appears in its old form', async () => {
    const seen: string[] = [];
    await looking((args) => {
      const [message] = args.messageList.get.input.db();
      if (message) args.messageList.replace({ ...message, role: 'assistant' });
      seen.push(...args.messages.map(({ role }) => role));
    });
    expect(seen).toEqual(['user']);
  });

  test('Messages can be replaced for a nested processor', async () => {
    const seen: number[] = [];
    await looking((args) => {
      args.messages = [];
      seen.push(args.messages.length, { ...args }.messages.length);
    });
    expect(seen).toEqual([0, 0]);
  });
});
