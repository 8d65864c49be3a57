// What one call cannot do: replace what it was not given, end the process, or take longer than it has.
import type { Reads, Stage } from '@millrace/contracts';
import { callContext, callEntry, conversationOf, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { ProcessInputArgs } from '../processor.ts';
import { defineProcessor } from '../processor-definition.ts';
import { call, define, type Methods } from '../testing/defined.ts';

const conversation = conversationOf({ remembered: ['old'], input: ['hello'] }, ['Be kind.']);

test('who does not read the system messages cannot replace them all', async () => {
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

describe('who was not given something cannot replace all of it', () => {
  const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
  const own = { ...tool, name: 'own' };
  const cases: [Stage, string, Methods, Reads[]][] = [
    ['processInputStep', 'tools', { processInputStep: () => ({ tools: { own } }) }, ['tools']],
    ['processLLMRequest', 'prompt', { processLLMRequest: () => ({ prompt: [] }) }, ['prompt']],
    ['processInput', 'systemMessages', { processInput: () => ({ messages: [], systemMessages: [] }) }, ['system']],
  ];

  test.each(cases)('%s: %s', async (stage, member, methods, reads) => {
    const input = { conversation, tools: [tool], prompt: [{ role: 'user' as const, content: [] }] };
    const blind = await call(stage, [define('blind', methods)], input);
    expect(blind.verdicts).toMatchObject([
      { type: 'failure', code: 'processor-verdict-refused', message: expect.stringContaining(member) },
    ]);
    const seeing = await call(stage, [define('seeing', methods, { reads: ['input', ...reads] })], input);
    expect(seeing.verdicts).toMatchObject([{ type: 'continue' }]);
  });

  test('also where another processor of the same call reads it', async () => {
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

  test('fails the call though the processor did not wait for it, and the process goes on', async () => {
    const careless = { processInput: ({ writer }: ProcessInputArgs) => void writer.custom({ type: 'data-x' }) };
    expect(await run(careless)).toMatchObject({ type: 'failure', message: expect.stringContaining('JSON') });
  });

  test('does not fail the call of a processor that waits for it and knows what to do', async () => {
    const careful = {
      processInput: async ({ writer }: ProcessInputArgs) => {
        await writer.custom({ type: 'data-x' }).catch(() => undefined);
      },
    };
    expect(await run(careful)).toEqual({ type: 'continue' });
  });

  test('is refused where it is not JSON', async () => {
    const data = JSON.parse('{}');
    data.self = data;
    const cyclic = { processInput: async ({ writer }: ProcessInputArgs) => writer.custom({ type: 'data-x', data }) };
    expect(await run(cyclic)).toMatchObject({ type: 'failure', code: 'not-json' });
  });
});

type Hang = (giveUp: () => void) => Promise<undefined>;
const hangs: [string, Hang][] = [
  ['a promise', (giveUp) => new Promise(() => giveUp())],
  // What a processor without types may return instead of one: `await` waits for it all the same.
  [
    'a function with a then',
    (giveUp) =>
      // oxlint-disable-next-line unicorn/no-thenable, typescript/no-unsafe-type-assertion -- it is what the test is about
      Object.assign(() => undefined, { then: () => giveUp() }) as unknown as Promise<undefined>,
  ],
];
test.each(hangs)('a method that hangs is left when its time is up, though it returned %s', async (_name, hang) => {
  const giveUp = new AbortController();
  const hanging = define('hanging', { processInput: () => hang(() => giveUp.abort()) });
  const { verdicts } = await callStage(
    stageCall('processInput', [callEntry('hanging')]),
    createHostedProcessors([hanging]),
    { ...callContext(), signal: giveUp.signal },
  );
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout', retryable: true }]);
});

test('a method that returns because its time is up has not judged', async () => {
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
