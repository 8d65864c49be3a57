// The tools of a step: concurrent, in order, each checkpointed; the first interrupt abandons the others.
import { type JsonValue, type ToolCall, type ToolDefinition, type ToolReply } from '@millrace/contracts';
import { type ServeContext } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, listTypes } from '../testing/chunks.ts';
import { atStage } from '../testing/plan-entries.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRunOptions } from '../testing/test-run.ts';
import { serveTool } from '../testing/test-servings.ts';
import { closeStep } from './close-step.ts';
import { judgeCalls, runCalls } from './tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
  subject: `mr.v1.tool.tools.${name}`,
  idempotent: false,
  timeoutMs: 2_000,
  ...more,
});
const tools = [tool('count'), tool('slow', { timeoutMs: 100 }), tool('sure', { idempotent: true })];
const call = (toolCallId: string, toolName = 'count', args: JsonValue = {}): ToolCall => ({
  toolCallId,
  toolName,
  args,
});

type Answer = (call: ToolCall, context: ServeContext) => Promise<Partial<ToolReply> | undefined>;
/** Returns the requests of the tool. */
function recordTool(name: string, answer: Answer) {
  const requests: unknown[] = [];
  serveTool(connection.bus, name, (request, context) => {
    requests.push(request);
    return answer(request.toolCall, context);
  });
  return requests;
}
function runWith(calls: ToolCall[], options: TestRunOptions = {}) {
  const made = createTestRun({ bus: connection.bus, tools, ...options });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  made.run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', calls), tools });
  return made;
}
const runTools = async ({ run }: ReturnType<typeof runWith>) =>
  (await judgeCalls(run)) ?? (await runCalls(run)) ?? (await closeStep(run));

describe('tool calls', () => {
  test('run concurrently, eight at most, and their results are in call order', async () => {
    let [now, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    recordTool('count', async ({ toolCallId }) => {
      most = Math.max(most, (now += 1));
      if (now === 8) gate.resolve();
      await gate.promise;
      now -= 1;
      return { result: toolCallId };
    });
    const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const made = runWith(ids.map((id) => call(id)));
    expect(await runTools(made)).toBeUndefined();
    expect(most).toBe(8);
    expect(made.run.getState().steps[0]?.toolResults.map(({ result }) => result)).toEqual(ids);
    expect(listTypes(made.published)).toEqual([...ids.map(() => 'tool-result'), 'step-finish']);
  });

  test('that fail are reported to the model by name, and the loop continues', async () => {
    recordTool('count', async () => ({ error: { code: 'tool-failed', message: 'broken' } }));
    recordTool('slow', async () => undefined);
    const wrong = [call('a', 'nosuch'), call('b', 'count', { x: 1 }), call('c', 'slow'), call('d', 'sure'), call('e')];
    const made = runWith(wrong);
    expect(await runTools(made)).toBeUndefined();
    const results = made.run.getState().steps[0]?.toolResults ?? [];
    expect(results.map(({ result }) => Object(result).error.code)).toEqual([
      'tool-unknown',
      'tool-arguments-invalid',
      'tool-timeout',
      'tool-not-there',
      'tool-failed',
    ]);
    expect(results.every(({ isError }) => isError)).toBe(true);
    expect(listTypes(made.published).filter((type) => type === 'tool-error')).toHaveLength(5);
    expect(made.events.filter(({ event }) => event === 'tool')).toHaveLength(4);
  });

  test('carry an idempotency key if the tool supports it', async () => {
    const requests = recordTool('sure', async () => ({ result: 1 }));
    const others = recordTool('count', async () => ({ result: 1 }));
    await runTools(runWith([call('a', 'sure'), call('b')]));
    expect(requests).toMatchObject([{ idempotencyKey: 'acme.run-1.0.0', position: 0 }]);
    expect(others[0]).not.toHaveProperty('idempotencyKey');
  });

  test('of a repeated step have another idempotency key: they are other calls', async () => {
    const requests = recordTool('sure', async () => ({ result: 1 }));
    const made = createTestRun({ bus: connection.bus, tools });
    made.run.dispatch({ action: 'rewound', to: 'step', feedback: 'Again.' });
    made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
    made.run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', [call('a', 'sure')]), tools });
    await runTools(made);
    expect(requests).toMatchObject([{ idempotencyKey: 'acme.run-1.0.0.1' }]);
  });

  test('with one id in one answer have a result each, in call order', async () => {
    recordTool('count', async ({ args }) => ({ result: args }));
    const made = runWith([call('call_0', 'count', { n: 1 }), call('call_0', 'count', { n: 2 })]);
    expect(await runTools(made)).toBeUndefined();
    const { steps, conversation } = made.run.getState();
    expect(steps[0]?.toolResults.map(({ result }) => result)).toEqual([{ n: 1 }, { n: 2 }]);
    const parts = conversation.entries.at(-1)?.message.content.parts ?? [];
    expect(parts.map((part) => part.type === 'tool-invocation' && part.toolInvocation.result)).toEqual([
      false,
      { n: 1 },
      { n: 2 },
    ]);
  });

  test('with an id that an earlier step has used have their own result', async () => {
    recordTool('count', async ({ args }) => ({ result: args }));
    const made = runWith([call('call_0', 'count', { n: 1 })]);
    await runTools(made);
    made.run.dispatch({ action: 'step-opened', firstIndex: made.run.transcript.getNextPlace() });
    const second = makeAnswer(1, '', [call('call_0', 'count', { n: 2 })]);
    made.run.dispatch({ action: 'answer-accepted', answer: second, tools });
    await runTools(made);
    expect(made.run.getState().steps.map(({ toolResults }) => toolResults[0]?.result)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('that time out have an unknown outcome, and the model is asked to check before it repeats them', async () => {
    recordTool('slow', async () => undefined);
    const made = runWith([call('a', 'slow'), call('b', 'sure')]);
    await runTools(made);
    const [slow, absent] = made.run.getState().steps[0]?.toolResults ?? [];
    expect(slow?.result).toMatchObject({
      outcome: 'unknown',
      error: { code: 'tool-timeout', remedy: expect.stringContaining('before you call the tool again') },
    });
    // Without a replica the tool has not run, and that is known.
    expect(absent?.result).not.toHaveProperty('outcome');
  });

  test('with a result above the size limit are an error for the model', async () => {
    recordTool('count', async () => ({ result: 'x'.repeat(512 * 1024) }));
    const made = runWith([call('a')]);
    expect(await runTools(made)).toBeUndefined();
    expect(made.run.getState().steps[0]?.toolResults[0]?.result).toMatchObject({
      error: { code: 'message-too-large' },
    });
  });

  test('that are done are not repeated', async () => {
    const requests = recordTool('count', async () => ({ result: 'new' }));
    const made = runWith([call('a'), call('b')]);
    await judgeCalls(made.run);
    made.run.dispatch({
      action: 'tool-finished',
      result: { ...call('a'), position: 0, result: 'old', isError: false },
    });
    await runCalls(made.run);
    await closeStep(made.run);
    expect(requests).toHaveLength(1);
    expect(made.run.getState().steps[0]?.toolResults.map(({ result }) => result)).toEqual(['old', 'new']);
  });
});

describe('interrupts of the tool calls of a step', () => {
  /** One call is answered at once, the others never. */
  function hanging(onFirst: () => void = () => undefined) {
    recordTool('count', async ({ toolCallId }) => {
      if (toolCallId !== 'a') return undefined;
      onFirst();
      return { result: 1 };
    });
    return runWith([call('a'), call('b'), call('c')]);
  }

  test('at a checkpoint abandon the other calls', async () => {
    const made = hanging(() => made.askCancel());
    const started = performance.now();
    expect(await runTools(made)).toEqual({ form: 'cancel' });
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(made.run.getState().open?.results).toHaveLength(1);
  });

  test('by an exception fail the run once all calls have ended: none of them writes any more', async () => {
    const made = hanging();
    made.onRecord(() => {
      throw new Error('the state is missing');
    });
    await expect(runTools(made)).rejects.toThrow('the state is missing');
    const before = made.run.getState();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.run.getState()).toBe(before);
  });

  test('from outside end the wait, and no result is kept', async () => {
    const made = hanging();
    const running = runTools(made);
    await eventually(() => made.run.getState().open?.results.length === 1);
    made.stop('cancelled');
    expect(await running).toMatchObject({ form: 'cancel' });
    expect(made.run.getState().steps).toEqual([]);
  });
});

describe('the progress of a tool', () => {
  const progress = (context: ServeContext, sequence: number, ...chunks: object[]) =>
    context.respond({ sequence, progress: chunks });

  test('precedes its result, in order; custom chunks are passed as they are, others wrapped', async () => {
    recordTool('count', async (_call, context) => {
      progress(context, 0, dataChunk('half'));
      progress(context, 1, { type: 'text-delta', runId: 'x', from: 'AGENT', payload: { id: 't', text: 'x' } });
      return { sequence: 2, result: 1 };
    });
    const made = runWith([call('a')]);
    await runTools(made);
    expect(listTypes(made.published)).toEqual(['data-half', 'tool-output', 'tool-result', 'step-finish']);
  });

  test.each([
    ['more chunks than a call may', 1_001, 1],
    ['more text than a call may', 9, 128 * 1024],
  ])('is bounded: %s is a coded error for the model', async (_what, count, size) => {
    recordTool('count', async (_call, context) => {
      for (let n = 0; n < count; n++) progress(context, n, { ...dataChunk('x'), data: 'x'.repeat(size) });
      return { sequence: count, result: 1 };
    });
    const made = runWith([call('a')]);
    expect(await runTools(made)).toBeUndefined();
    expect(made.run.getState().steps[0]?.toolResults[0]?.result).toMatchObject({
      error: { code: 'tool-progress-too-large' },
      outcome: 'unknown',
    });
    expect(listTypes(made.published).filter((type) => type === 'data-x').length).toBeLessThan(count);
  });

  test('that no message can hold fails the run by name, without an unhandled rejection', async () => {
    recordTool('count', async (_call, context) => {
      progress(context, 0, dataChunk('x'));
      return undefined;
    });
    const onPublish = () => {
      throw new Error('too large for a message');
    };
    const made = runWith([call('a')], { onPublish });
    const interrupt = await runTools(made);
    expect(interrupt).toMatchObject({ form: 'error', error: { message: 'too large for a message' } });
  });
});

describe('judging tool calls', () => {
  test('calls processors for all calls in order before any runs; a denial is a result, and its tool does not run', async () => {
    const order: string[] = [];
    recordTool('count', async ({ toolCallId }) => {
      order.push(`run ${toolCallId}`);
      return { result: 1 };
    });
    scriptReplica(connection.bus, 'processToolCall', ['guard'], ({ input }) => {
      const id = input.toolCall?.toolCallId ?? '';
      order.push(`judge ${id}`);
      if (id === 'b') return [{ type: 'deny', reason: 'not b', code: 'no' }];
      return [{ type: 'continue', changes: { args: { n: 1 } } }];
    });
    const made = runWith([call('a'), call('b'), call('c')], { entries: atStage('processToolCall', 'guard') });
    expect(await runTools(made)).toBeUndefined();
    expect(order.slice(0, 3)).toEqual(['judge a', 'judge b', 'judge c']);
    expect(order.slice(3).toSorted()).toEqual(['run a', 'run c']);
    expect(made.run.getState().steps[0]?.toolResults).toMatchObject([
      { toolCallId: 'a', args: { n: 1 } },
      { toolCallId: 'b', denied: true, isError: true, result: { denied: true, reason: 'not b', code: 'no' } },
      { toolCallId: 'c' },
    ]);
  });
});
