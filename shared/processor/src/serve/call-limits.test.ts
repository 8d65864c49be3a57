// Limits of one call: it cannot replace data that it was not sent, end the process, or exceed its timeout.
import type { Reads, Stage } from '@millrace/contracts';
import { callContext, callEntry, buildConversation, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { ProcessInputArgs } from '../processor/processor.ts';
import { defineProcessor } from '../processor/processor-definition.ts';
import { call, define, type Methods } from '../testing/defined.ts';

const conversation = buildConversation({ remembered: ['old'], input: ['hello'] }, ['Be kind.']);

test('A processor that does not read the system messages cannot replace them all', async () => {
  const definition = define('blind', { processInput: ({ messages }) => ({ messages, systemMessages: [] }) });
  expect((await call('processInput', [definition], { conversation })).verdicts[0]).toMatchObject({
    type: 'failure',
    code: 'processor-verdict-refused',
    message: expect.stringContaining('systemMessages'),
  });
  const seeing = { ...definition, reads: ['input' as const, 'system' as const] };
  expect((await call('processInput', [seeing], { conversation })).verdicts[0]).toMatchObject({
    type: 'continue',
    changes: { ops: [{ op: 'system-all', messages: [] }] },
  });
});

describe('replacing unread data', () => {
  const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
  const own = { ...tool, name: 'own' };
  const cases: [Stage, string, Methods, Reads[]][] = [
    ['processInputStep', 'tools', { processInputStep: () => ({ tools: { own } }) }, ['tools']],
    ['processLLMRequest', 'prompt', { processLLMRequest: () => ({ prompt: [] }) }, ['prompt']],
    ['processInput', 'systemMessages', { processInput: () => ({ messages: [], systemMessages: [] }) }, ['system']],
  ];

  test.each(cases)('The replacement is rejected for %s: %s', async (stage, member, methods, reads) => {
    const input = { conversation, tools: [tool], prompt: [{ role: 'user' as const, content: [] }] };
    const blind = await call(stage, [define('blind', methods)], input);
    expect(blind.verdicts).toMatchObject([
      { type: 'failure', code: 'processor-verdict-refused', message: expect.stringContaining(member) },
    ]);
    const seeing = await call(stage, [define('seeing', methods, { reads: ['input', ...reads] })], input);
    expect(seeing.verdicts).toMatchObject([{ type: 'continue' }]);
  });

  test('The replacement is rejected also if another processor of the same call reads the data', async () => {
    const own: Methods = { processInputStep: () => ({ tools: {} }) };
    const both = [define('reads', own, { reads: ['tools'] }), define('blind', own)];
    const { verdicts } = await call('processInputStep', both, { tools: [tool] });
    expect(verdicts).toMatchObject([{ type: 'continue' }, { type: 'failure', code: 'processor-verdict-refused' }]);
  });
});

describe('a custom chunk that cannot be sent', () => {
  const refusing = { ...callContext(), write: () => JSON.parse('no JSON') };
  const run = async (methods: Methods) => {
    const definition = define('writing', methods);
    const outcome = await callStage(
      stageCall('processInput', [callEntry('writing')]),
      createHostedProcessors([definition]),
      refusing,
    );
    return outcome.verdicts[0];
  };

  test('An unsendable chunk fails the call if the processor does not await it, and the process continues', async () => {
    const careless = { processInput: ({ writer }: ProcessInputArgs) => void writer.custom({ type: 'data-x' }) };
    expect(await run(careless)).toMatchObject({ type: 'failure', message: expect.stringContaining('JSON') });
  });

  test('An unsendable chunk does not fail the call of a processor that handles the rejection', async () => {
    const careful = {
      processInput: async ({ writer }: ProcessInputArgs) => {
        await writer.custom({ type: 'data-x' }).catch(() => undefined);
      },
    };
    expect(await run(careful)).toEqual({ type: 'continue' });
  });

  test.each(['data-ada@example.com', 'data-', `data-${'a'.repeat(65)}`] as const)(
    'A custom chunk is rejected if its type has no form that guards can skip: %s',
    async (type) => {
      const leaking = { processInput: async ({ writer }: ProcessInputArgs) => writer.custom({ type, data: 1 }) };
      expect(await run(leaking)).toMatchObject({
        type: 'failure',
        code: 'message-invalid',
        message: expect.stringContaining('1 to 64'),
      });
    },
  );

  test('A custom chunk that is not JSON is rejected', async () => {
    const data = JSON.parse('{}');
    data.self = data;
    const cyclic = { processInput: async ({ writer }: ProcessInputArgs) => writer.custom({ type: 'data-x', data }) };
    expect(await run(cyclic)).toMatchObject({ type: 'failure', code: 'not-json' });
  });
});

type Hang = (giveUp: () => void) => Promise<undefined>;
const hangs: [string, Hang][] = [
  ['a promise', (giveUp) => new Promise(() => giveUp())],
  // A thenable that a processor without types may return instead of a promise: `await` accepts it too.
  [
    'a function with a then',
    (giveUp) =>
      // oxlint-disable-next-line unicorn/no-thenable, typescript/no-unsafe-type-assertion -- it is what the test is about
      Object.assign(() => undefined, { then: () => giveUp() }) as unknown as Promise<undefined>,
  ],
];
test.each(hangs)('A hanging method that returned %s is abandoned at its timeout', async (_name, hang) => {
  const giveUp = new AbortController();
  const hanging = define('hanging', { processInput: () => hang(() => giveUp.abort()) });
  const { verdicts } = await callStage(
    stageCall('processInput', [callEntry('hanging')]),
    createHostedProcessors([hanging]),
    { ...callContext(), signal: giveUp.signal },
  );
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout', retryable: true }]);
});

test('The result of a method that returns after its timeout is ignored', async () => {
  const giveUp = new AbortController();
  const late = defineProcessor({
    id: 'late',
    description: 'gives up without a word',
    stages: ['processInput'],
    reads: [],
    options: z.strictObject({}),
    create: () => ({ id: 'late', processInput: () => giveUp.abort() }),
  });
  const call = stageCall('processInput', [callEntry('late')]);
  const { verdicts } = await callStage(call, createHostedProcessors([late]), {
    ...callContext(),
    signal: giveUp.signal,
  });
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout', retryable: true }]);
});
