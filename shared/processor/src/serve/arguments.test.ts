// Arguments of methods other than messages, and members of the processor itself.
import type { Conversation, StepResult, Violation } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { ErrorProcessor, InputProcessor, OutputProcessor, Processor } from '../processor/processor.ts';
import { describeProcessor } from '../processor/processor-definition.ts';
import { call, define, type Methods } from '../testing/defined.ts';

const step: StepResult = {
  stepNumber: 0,
  text: 'hi',
  reasoning: '',
  toolCalls: [],
  toolResults: [],
  finishReason: 'stop',
  usage: {},
  model: 'openai/a',
  fromCache: false,
};

describe('arguments of a method', () => {
  test('processorIndex is the index among the entries of the stage', async () => {
    const seen: (number | undefined)[] = [];
    const definition = define('one', { processInput: ({ processorIndex }) => void seen.push(processorIndex) });
    const entries = [callEntry('one', {}, { index: 3 }), callEntry('one')];
    await callStage(stageCall('processInput', entries), createHostedProcessors([definition]), callContext());
    expect(seen).toEqual([3, undefined]);
  });

  test('requestContext has the values of the caller, tracingContext its trace, and abortSignal the signal of the call', async () => {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const stop = new AbortController();
    let seen: unknown;
    const definition = define('one', {
      processInput: ({ requestContext, tracingContext, abortSignal }) => {
        stop.abort();
        seen = [requestContext.get('locale'), tracingContext, abortSignal.aborted];
      },
    });
    const context = callContext({ requestContext: { locale: 'de' }, trace, signal: stop.signal });
    await callStage(stageCall('processInput', [callEntry('one')]), createHostedProcessors([definition]), context);
    expect(seen).toEqual(['de', { trace }, true]);
  });

  test('processLLMRequest receives the other parts of the call: provider options and guards', async () => {
    const guards = [{ entry: 'pii', processor: 'pii', version: '0.2.0', options: 'abc' }];
    const providerOptions = { openai: { user: 'ada' } };
    let seen: object = {};
    const look: Methods = { processLLMRequest: (args) => void (seen = args) };
    await call('processLLMRequest', [define('cache', look)], { guards, providerOptions });
    expect(seen).toMatchObject({ guards, providerOptions });
  });

  test('processLLMResponse receives request and response if the processor reads them', async () => {
    const input = {
      request: { model: 'gpt' },
      rawResponse: { headers: { 'x-id': '1' } },
      warnings: ['w'],
      steps: [step],
    };
    const seen: object[] = [];
    const look: Methods = {
      processLLMResponse: ({ request, rawResponse, steps, warnings }) =>
        void seen.push({ request, rawResponse, steps, warnings }),
    };
    const reading = define('reading', look, { reads: ['request', 'steps'] });
    await call('processLLMResponse', [reading], input);
    await call('processLLMResponse', [reading], {});
    expect(seen).toEqual([input, { request: null, rawResponse: null, steps: [], warnings: [] }]);
  });
});

describe('a processor’s own onViolation', () => {
  const violating = (onViolation: NonNullable<Processor['onViolation']>) =>
    define('guard', {
      onViolation,
      processInput: (args) => args.onViolation({ message: 'found', strategy: 'warn', detail: { at: 3 } }),
    });

  test('onViolation of a processor receives its violations under its entry', async () => {
    const told: Violation[] = [];
    const entries = [callEntry('guard', {}, { entry: 'mine' })];
    const hosted = createHostedProcessors([violating((violation) => void told.push(violation))]);
    const { verdicts } = await callStage(stageCall('processInput', entries), hosted, callContext());
    const expected = { processorId: 'mine', message: 'found', strategy: 'warn', detail: { at: 3 } };
    expect(told).toEqual([expected]);
    expect(verdicts).toMatchObject([{ type: 'continue', violations: [expected] }]);
  });

  test.each([
    ['throws', () => JSON.parse('no JSON')],
    ['rejects', () => Promise.reject(new Error('later'))],
  ])('onViolation of a processor that %s changes nothing', async (_how, onViolation) => {
    const { verdicts } = await call('processInput', [violating(onViolation)]);
    expect(verdicts).toMatchObject([{ type: 'continue', violations: [{ message: 'found' }] }]);
  });
});

describe('declarations about data parts', () => {
  const methods: Methods = { processDataParts: true, processOutputStream: ({ part }) => part };

  test("The service advertises the processor's own declaration", () => {
    expect(describeProcessor(define('collector', methods)).processDataParts).toBe(true);
  });

  test("The definition overrides the processor's own declaration", () => {
    expect(describeProcessor(define('collector', methods, { processDataParts: false })).processDataParts).toBe(false);
  });
});

describe('system messages', () => {
  const conversation: Conversation = {
    entries: [],
    system: [
      { tag: 'instructions', content: 'Be kind.' },
      { tag: 'working-memory', content: 'Name: Ada' },
    ],
  };
  const returning = async (systemMessages: { role?: 'system'; content: string; tag?: string }[]) => {
    const seen: object[] = [];
    const method: Methods = {
      processInput: (args) => {
        seen.push(...args.systemMessages);
        return { messages: args.messages, systemMessages };
      },
    };
    const { verdicts } = await call('processInput', [define('one', method, { reads: ['system', 'input'] })], {
      conversation,
    });
    return { seen, verdict: verdicts[0] };
  };
  const buildMessages = (...messages: [string, string][]) => ({
    changes: { ops: [{ op: 'system-all', messages: messages.map(([tag, content]) => ({ tag, content })) }] },
  });

  test('System messages have a role, a text and a tag', async () => {
    expect((await returning([])).seen).toEqual([
      { role: 'system', content: 'Be kind.', tag: 'instructions' },
      { role: 'system', content: 'Name: Ada', tag: 'working-memory' },
    ]);
  });

  test('System messages that are returned without tags leave tagged ones unchanged', async () => {
    const own = [{ role: 'system' as const, content: 'Be quick.' }];
    expect((await returning(own)).verdict).toMatchObject(
      buildMessages(['processor', 'Be quick.'], ['working-memory', 'Name: Ada']),
    );
    const [first, memory] = conversation.system;
    const copied = [first, memory, own[0]].map((one) => ({ role: 'system' as const, content: one?.content ?? '' }));
    expect((await returning(copied)).verdict).toMatchObject(
      buildMessages(['instructions', 'Be kind.'], ['processor', 'Be quick.'], ['working-memory', 'Name: Ada']),
    );
  });

  test('System messages that are returned with tags replace all', async () => {
    expect((await returning([{ tag: 'mine', content: 'a' }])).verdict).toMatchObject(buildMessages(['mine', 'a']));
  });
});

test('The type of a list’s processors requires one of its stages', () => {
  const input = { id: 'i', processInput: () => undefined };
  const output = { id: 'o', processOutputStream: () => null };
  const error = { id: 'e', processAPIError: () => undefined };
  expectTypeOf(input).toExtend<InputProcessor>();
  expectTypeOf(output).toExtend<OutputProcessor>();
  expectTypeOf(error).toExtend<ErrorProcessor>();
  expectTypeOf(output).not.toExtend<InputProcessor>();
  expectTypeOf(input).not.toExtend<ErrorProcessor>();
  expect([input, output, error].map(({ id }) => id)).toEqual(['i', 'o', 'e']);
});
