import { messageText, type Stage, type StageInput, type Verdict } from '@millrace/contracts';
import { callContext, callEntry, conversationOf, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { Processor } from '../processor.ts';
import { defineProcessor, type ProcessorDefinition } from '../processor-definition.ts';

type Methods = Omit<Processor, 'id'>;
const define = (id: string, methods: Methods, more: Partial<ProcessorDefinition> = {}): ProcessorDefinition => ({
  ...defineProcessor({
    id,
    description: 'of a test',
    stages: ['processInput'],
    reads: ['input'],
    options: z.strictObject({ limit: z.number().default(1) }),
    create: () => ({ id, ...methods }),
  }),
  ...more,
});
const call = (stage: Stage, definitions: ProcessorDefinition[], input: Partial<StageInput> = {}) =>
  callStage(
    stageCall(
      stage,
      definitions.map(({ id }) => callEntry(id)),
      input,
    ),
    createHostedProcessors(definitions),
    callContext(),
  );
const append = (id: string, text: string) =>
  define(id, {
    processInput: ({ messages, messageList }) => {
      const last = messages.at(-1);
      const part = last?.content.parts[0];
      if (part?.type === 'text') part.text += text;
      return messageList;
    },
  });
const conversation = conversationOf({ remembered: ['old'], input: ['hello'] }, ['Be kind.']);

describe('a list of processors', () => {
  test('each sees what the one before it changed; each has a verdict and a time', async () => {
    const seen: string[] = [];
    const look = define('look', { processInput: ({ messages }) => void seen.push(...messages.map(messageText)) });
    const { verdicts, ms } = await call('processInput', [append('a', ' a'), append('b', ' b'), look], { conversation });
    expect(seen).toEqual(['hello a b']);
    expect(verdicts.map(({ type }) => type)).toEqual(['continue', 'continue', 'continue']);
    expect(ms).toHaveLength(3);
  });

  test('ends with the first that stops: those behind it are not called', async () => {
    let called = 0;
    const stop = define('stop', { processInput: ({ abort }) => abort('no') });
    const after = define('after', { processInput: () => void (called += 1) });
    const { verdicts } = await call('processInput', [append('a', '!'), stop, after], { conversation });
    expect(verdicts.map(({ type }) => type)).toEqual(['continue', 'abort']);
    expect(called).toBe(0);
  });

  test('ends before a processor that this replica does not serve', async () => {
    const [a, b, c] = [append('a', '1'), append('b', '2'), append('c', '3')];
    const entries = [a, b, c].map(({ id }) => callEntry(id));
    const served = createHostedProcessors([a, c]);
    const { verdicts } = await callStage(stageCall('processInput', entries, { conversation }), served, callContext());
    expect(verdicts).toHaveLength(1);
  });

  test('what is changed for one call only is seen by the next too: the prompt, the arguments, the model', async () => {
    const request = define('request', {
      processLLMRequest: ({ prompt }) => ({ prompt: [...prompt, { role: 'user', content: 'more' }] }),
    });
    const { verdicts } = await call('processLLMRequest', [request, { ...request, id: 'again' }], { prompt: [] });
    expect(verdicts[1]).toMatchObject({ changes: { prompt: [{ content: 'more' }, { content: 'more' }] } });
    const step = define('step', { processInputStep: ({ model }) => ({ model: `${model}x` }) });
    const steps = await call('processInputStep', [step, { ...step, id: 'again' }], { model: 'openai/a' });
    expect(steps.verdicts[1]).toMatchObject({ changes: { model: 'openai/axx' } });
  });

  test('what one edits in place, and so does not tell, the next one does not see', async () => {
    const seen: unknown[] = [];
    const edit = define('edit', {
      processToolCall: ({ toolCall }) => void Object.assign(toolCall, { args: 'edited' }),
    });
    const look = define('look', { processToolCall: ({ toolCall }) => void seen.push(toolCall.args) });
    const toolCall = { toolCallId: '1', toolName: 'clock', args: 'given' };
    const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
    const { verdicts } = await call('processToolCall', [edit, look], { toolCall, tool });
    expect(verdicts).toEqual([{ type: 'continue' }, { type: 'continue' }]);
    expect(seen).toEqual(['given']);
  });

  test('each sees only what it said it reads', async () => {
    const seen: Record<string, unknown> = {};
    const look = (id: string, reads: ProcessorDefinition['reads']) =>
      define(
        id,
        {
          processInput: ({ messages, systemMessages }) => {
            seen[id] = [messages.map(({ id: message }) => message), systemMessages.length];
          },
        },
        { reads },
      );
    await call(
      'processInput',
      [look('new', ['input']), look('all', ['input', 'remembered', 'system']), look('none', [])],
      {
        conversation,
      },
    );
    expect(seen).toEqual({ new: [['input-0'], 0], all: [['remembered-0', 'input-0'], 1], none: [[], 0] });
  });
});

describe('options', () => {
  const limited = define('limited', {});

  test('that do not fit are a failure that names the entry, the option and the remedy', async () => {
    const entries = [callEntry('limited', { limit: 'x', unknown: 1 }, { entry: 'mine' })];
    const { verdicts } = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([limited]),
      callContext(),
    );
    expect(verdicts).toEqual([
      {
        type: 'failure',
        code: 'options-invalid',
        message: expect.stringMatching(/"mine".*limit: .*unknown/s),
        retryable: false,
      },
    ]);
  });

  test('are the same object for the same options, another for others', async () => {
    let made = 0;
    const counted = { ...limited, create: () => ({ id: 'limited', count: (made += 1) }) };
    const hosted = createHostedProcessors([counted]);
    for (const limit of [1, 2, 1, 2]) hosted(callEntry('limited', { limit }));
    expect(made).toBe(2);
  });
});

describe('state', () => {
  const counting = define('counting', {
    processInput: ({ state }) => {
      state['count'] = Number(state['count'] ?? 0) + 1;
    },
  });
  const withState = async (
    definition: ProcessorDefinition,
    state: StageCall['state'],
  ): Promise<Verdict | undefined> => {
    const entries = [callEntry(definition.id, {}, { state })];
    const outcome = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([definition]),
      callContext(),
    );
    return outcome.verdicts[0];
  };
  type StageCall = ReturnType<typeof callEntry>;

  test('comes with the call and goes back with the verdict', async () => {
    expect(await withState(counting, { count: 4 })).toEqual({ type: 'continue', state: { count: 5 } });
  });

  test('that did not change does not travel', async () => {
    expect(await withState(define('idle', { processInput: () => undefined }), { count: 4 })).toEqual({
      type: 'continue',
    });
  });

  test('belongs to the entry: two entries of one processor keep theirs apart', async () => {
    const entries = [
      callEntry('counting', {}, { entry: 'one', state: { count: 1 } }),
      callEntry('counting', {}, { entry: 'two', state: { count: 10 } }),
    ];
    const { verdicts } = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([counting]),
      callContext(),
    );
    expect(verdicts).toMatchObject([{ state: { count: 2 } }, { state: { count: 11 } }]);
  });

  test('goes back with an abort and a halt too', async () => {
    const stopping = define('stopping', {
      processInput: ({ state, abort }) => {
        state['seen'] = true;
        abort('no', { retry: true });
      },
    });
    expect(await withState(stopping, {})).toMatchObject({ type: 'abort', retry: true, state: { seen: true } });
  });

  test('that is not JSON is a failure that names the place', async () => {
    const broken = define('broken', {
      processInput: ({ state }) => void Object.assign(state, { cache: { get: () => 1 } }),
    });
    expect(await withState(broken, {})).toMatchObject({
      type: 'failure',
      code: 'state-not-serializable',
      message: expect.stringContaining('state.cache.get'),
      retryable: false,
    });
  });
});

describe('violations', () => {
  test('go back with every verdict, under the name of the entry', async () => {
    const methods = (end: 'return' | 'abort'): Methods => ({
      processInput: ({ onViolation, abort }) => {
        onViolation({ message: 'found', strategy: 'warn', detail: { rule: 'x' } });
        if (end === 'abort') abort('no');
      },
    });
    for (const end of ['return', 'abort'] as const) {
      const { verdicts } = await call('processInput', [define('guard', methods(end))]);
      expect(verdicts[0]).toMatchObject({
        violations: [{ processorId: 'guard', message: 'found', strategy: 'warn', detail: { rule: 'x' } }],
      });
    }
  });

  test('and metadata that cannot travel do not turn a block into something else', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const detail = JSON.parse('{}');
    Object.assign(detail, cycle);
    const guard = define('guard', {
      processInput: ({ onViolation, abort }) => {
        onViolation({ message: 'found', detail });
        abort('no', { metadata: detail });
      },
    });
    const { verdicts } = await call('processInput', [guard]);
    expect(verdicts[0]).toMatchObject({ type: 'abort', reason: 'no' });
    expect(() => JSON.stringify(verdicts)).not.toThrow();
  });
});

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
