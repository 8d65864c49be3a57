// Looking at what a processor has not said that it reads.
import type { Stage } from '@millrace/contracts';
import { conversationOf } from '@millrace/testkit';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { call, define, type Methods } from '../testing/defined.ts';
import { delta, streaming, streamThrough } from '../testing/streaming.ts';

const conversation = conversationOf({ remembered: ['old'], input: ['hello'], response: ['hi'] }, ['Be kind.']);
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
    'what the user said last',
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

test.each(cases)(
  '%s that are not read cannot be looked at: the call fails by that name',
  async (_what, stage, methods, name) => {
    const { verdicts } = await call(stage, [define('blind', methods, { reads: [] })], input);
    expect(verdicts).toMatchObject([
      { type: 'failure', code: 'reads-undeclared', message: expect.stringContaining(name) },
    ]);
  },
);

test('arguments that are not looked at do not fail, nor does handing them on', async () => {
  const passOn: Methods = { processInputStep: (args) => void Object.keys({ ...args }) };
  const { verdicts } = await call('processInputStep', [define('blind', passOn, { reads: [] })], input);
  expect(verdicts).toMatchObject([{ type: 'continue' }]);
});

describe('reads by stage', () => {
  const methods: Methods = {
    processInput: ({ messages }) => void messages.length,
    processOutputStep: ({ steps }) => void steps.length,
  };

  test('count for that stage alone, and a stage that is not named reads nothing', async () => {
    const one = define('one', methods, { reads: { processInput: ['input'] } });
    expect((await call('processInput', [one], input)).verdicts).toMatchObject([{ type: 'continue' }]);
    expect((await call('processOutputStep', [one], input)).verdicts).toMatchObject([
      { type: 'failure', message: expect.stringContaining('processOutputStep') },
    ]);
  });

  test('narrow what the stage is given', async () => {
    const seen: number[] = [];
    const look: Methods = { processInput: ({ messages }) => void seen.push(messages.length) };
    await call('processInput', [define('one', look, { reads: { processInput: ['input'] } })], input);
    await call('processInput', [define('one', look, { reads: { processInput: ['input', 'remembered'] } })], input);
    expect(seen).toEqual([1, 2]);
  });
});

test('in the output stream too', async () => {
  const blind = streaming('blind', ({ part, messageList }) => (messageList.get.input.db(), part), { reads: ['steps'] });
  const { verdicts } = await streamThrough([blind], [delta('a')]);
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'reads-undeclared' }]);
});

describe('messages are taken out of the list when a method looks at them', () => {
  const looking = (look: NonNullable<Methods['processInput']>) =>
    call('processInput', [define('look', { processInput: look }, { reads: ['input', 'system'] })], input);

  test('spread arguments have them, and printed ones show them', async () => {
    const seen: unknown[] = [];
    await looking((args) => {
      const copy = { ...args };
      seen.push(copy.messages.length, copy.systemMessages.length, copy.messages === args.messages, inspect(args));
    });
    expect(seen).toEqual([1, 1, true, expect.stringMatching(/messages: \[\s*\{\s*id: 'input-0'/)]);
  });

  test('they are those from before the method began, whenever it looks', async () => {
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

  test('a message that the list replaced before is the old one among them', async () => {
    const seen: string[] = [];
    await looking((args) => {
      const [message] = args.messageList.get.input.db();
      if (message) args.messageList.replace({ ...message, role: 'assistant' });
      seen.push(...args.messages.map(({ role }) => role));
    });
    expect(seen).toEqual(['user']);
  });

  test('they can be replaced for a processor that is called by this one', async () => {
    const seen: number[] = [];
    await looking((args) => {
      args.messages = [];
      seen.push(args.messages.length, { ...args }.messages.length);
    });
    expect(seen).toEqual([0, 0]);
  });
});
