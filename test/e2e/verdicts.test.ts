// The effect of each verdict on a run, stage by stage: chunks, result, events.
import { useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';
import { breaker, cache, denier, halter, rescuer, stopper } from './verdict-processors.ts';

const stack = useSharedStack();

useProcessors(stack, [stopper, halter, denier, cache, rescuer, breaker]);

const agent = applying(stack);

function stopping(at: string, more: object = {}) {
  return { input: [{ use: 'stopper', options: { at, ...more } }], output: ['stopper'], tools: ['calculator'] };
}

const withTool = script(
  { text: 'Let me see.', toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] },
  { text: 'It is 2.' },
);

describe.concurrent('abort verdicts', () => {
  test.each([
    ['processInput', 0],
    ['processInputStep', 0],
    ['processLLMRequest', 0],
    ['processOutputStream', 1],
    ['processLLMResponse', 1],
    ['processOutputStep', 1],
    ['processToolCall', 1],
    ['processToolResult', 1],
    ['processOutputResult', 2],
  ])('an abort at %s ends the run with one tripwire and without another model call', async (at, modelCalls) => {
    const run = await stack.client.start(await agent(`abort-${at}`, stopping(at)), withTool);
    const chunks = await collect(run);
    const result = await run.result();
    expect(chunks.filter((chunk) => chunk.type === 'tripwire')).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({
      type: 'tripwire',
      payload: { reason: `stopped at ${at}`, processorId: 'stopper', metadata: { stage: at } },
    });
    expect(result).toMatchObject({
      status: 'aborted',
      text: '',
      finishReason: 'other',
      tripwire: { reason: `stopped at ${at}` },
    });
    const events = await stack.client.runs.events(run.runId);
    expect(events.filter((event) => event.event === 'model')).toHaveLength(modelCalls);
    expect(events.filter((event) => event.event === 'tool')).toHaveLength(
      at === 'processToolResult' || at === 'processOutputResult' ? 1 : 0,
    );
  });

  test.each([
    'processInput',
    'processInputStep',
    'processLLMRequest',
    'processOutputStream',
    'processLLMResponse',
    'processOutputStep',
    'processOutputResult',
  ])(
    'an abort with retry at %s calls the model again with the reason, and only the accepted answer remains',
    async (at) => {
      const name = await agent(`retry-${at}`, {
        ...stopping(at, { retry: true, times: 1 }),
        tools: [],
        maxProcessorRetries: 3,
      });
      const run = await stack.client.start(name, script({ text: 'first' }, { text: 'second' }));
      const chunks = await collect(run);
      const result = await run.result();
      const answering = ['processInput', 'processInputStep', 'processLLMRequest'].includes(at) ? 'first' : 'second';
      expect(result).toMatchObject({ status: 'finished', text: answering });
      expect(chunks.filter((chunk) => chunk.type === 'tripwire')).toHaveLength(0);
      const replayed = await collect(await stack.client.follow(run.runId));
      expect(joinText(replayed)).toBe(answering);
      expect(replayed.some((chunk) => chunk.type === 'retract')).toBe(false);
    },
  );

  test('an abort with retry is an abort if retries are used up or were never configured', async () => {
    const capped = await agent('retry-capped', {
      ...stopping('processOutputStep', { retry: true }),
      tools: [],
      maxProcessorRetries: 2,
    });
    const run = await stack.client.start(capped, script({ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }));
    const result = await run.result();
    expect(result).toMatchObject({ status: 'aborted', tripwire: { retry: true } });
    expect((await stack.client.runs.events(run.runId)).filter((event) => event.event === 'model')).toHaveLength(3);
    const unset = await agent('retry-unset', { ...stopping('processOutputStep', { retry: true }), tools: [] });
    expect(await (await stack.client.start(unset, script({ text: 'a' }))).result()).toMatchObject({
      status: 'aborted',
    });
  });
});

describe.concurrent('halt verdicts', () => {
  test('a halt before the model is the answer, without a model call', async () => {
    const name = await agent('halt-input', {
      input: [{ use: 'halter', options: { at: 'processInput', text: 'No.' } }],
    });
    const run = await stack.client.start(name, 'hello');
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('No.');
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'halted' } } });
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'No.', finishReason: 'halted' });
    expect((await stack.client.runs.events(run.runId)).some((event) => event.event === 'model')).toBe(false);
  });

  test('a halt with an empty text ends the run too', async () => {
    const name = await agent('halt-empty', { input: [{ use: 'halter', options: { at: 'processInput', text: '' } }] });
    expect(await (await stack.client.start(name, 'hello')).result()).toMatchObject({
      status: 'finished',
      text: '',
      finishReason: 'halted',
    });
  });

  test('a halt after the model retracts its answer', async () => {
    const name = await agent('halt-step', {
      output: [{ use: 'halter', options: { at: 'processOutputStep', text: 'Instead.' } }],
    });
    const run = await stack.client.start(name, script({ text: 'the text of the model' }));
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Instead.', finishReason: 'halted' });
    expect(joinText(await collect(await stack.client.follow(run.runId)))).toBe('Instead.');
  });
});

describe.concurrent('deny verdicts', () => {
  test('a deny skips the tool and informs the model, and allowed calls run as changed', async () => {
    const name = await agent('deny', { input: ['denier'], output: ['denier'], tools: ['calculator'] });
    const calls = [
      { name: 'calculator', args: { expression: '"secret"' } },
      { name: 'calculator', args: { expression: '9 * 9' } },
    ];
    const run = await stack.client.start(name, script({ toolCalls: calls }, { text: 'done' }));
    const chunks = await collect(run);
    const result = await run.result();
    expect(chunks.find((chunk) => chunk.type === 'tool-output-denied')).toMatchObject({
      payload: { reason: 'not that one', code: 'no' },
    });
    const [first, second] = result.steps[0]?.toolResults ?? [];
    expect(first).toMatchObject({ denied: true, result: { denied: true, reason: 'not that one' } });
    expect(second).toMatchObject({ args: { expression: '2 + 3' }, isError: false });
    expect(JSON.stringify(second?.result)).toContain('judged');
    expect((await stack.client.runs.events(run.runId)).filter((event) => event.event === 'tool')).toHaveLength(1);
    expect(result.text).toBe('done');
  });

  test('the model receives errors for an unknown tool and invalid arguments, and the loop continues', async () => {
    const name = await agent('bad-calls', { tools: ['calculator'] });
    const calls = [
      { name: 'nosuch', args: {} },
      { name: 'calculator', args: { expr: 1 } },
    ];
    const run = await stack.client.start(name, script({ toolCalls: calls }, { text: 'sorry' }));
    const chunks = await collect(run);
    expect(chunks.filter((chunk) => chunk.type === 'tool-error')).toHaveLength(2);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'sorry' });
  });
});

describe.concurrent('respond verdicts', () => {
  test('a respond answers without the model through the same processors, and processLLMResponse knows', async () => {
    const run = await stack.client.start(await agent('cached', { input: ['cache'] }), 'hello');
    const result = await run.result();
    expect(result).toMatchObject({
      text: 'from the cache',
      violations: [{ processorId: 'cache', count: 1 }],
    });
    expect(JSON.stringify(await stack.client.runs.eventsDetail(run.runId))).toContain('fromCache true');
    expect((await stack.client.runs.events(run.runId)).some((event) => event.event === 'model')).toBe(false);
  });
});

describe.concurrent('model errors', () => {
  test('processAPIError retries with changed messages', async () => {
    const name = await agent('rescued', { error: ['rescuer'] });
    const run = await stack.client.start(
      name,
      script({ error: { status: 400, message: 'too long' } }, { text: 'short' }),
    );
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'short' });
  });

  test('errors 429 and 5xx are retried twice', async () => {
    const name = await agent('plain', {});
    const error = { status: 503, message: 'busy', retryAfterSeconds: 0 };
    const run = await stack.client.start(name, script({ error }, { error }, { text: 'here' }));
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'here' });
  });

  test("an unhandled error fails the run with the provider's message", async () => {
    const run = await stack.client.start(
      await agent('unhandled', {}),
      script({ error: { status: 400, message: 'no such thing' } }),
    );
    const result = await run.result();
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model-call-failed' } });
    expect(result.error?.message).toContain('no such thing');
  });

  test('the chunks of a broken stream are retracted before the retry', async () => {
    const run = await stack.client.start(
      await agent('broken-stream', {}),
      script({ text: 'half of', error: { status: 500, message: 'gone' } }, { text: 'whole' }),
    );
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'whole' });
    expect(joinText(await collect(await stack.client.follow(run.runId)))).toBe('whole');
  });
});

describe.concurrent('failures of processors', () => {
  test.each(['processInput', 'processOutputStep', 'processOutputStream'])(
    'a processor that throws at %s fails the run without its text',
    async (at) => {
      const lists = { input: [{ use: 'breaker', options: { at } }], output: ['breaker'] };
      const run = await stack.client.start(await agent(`broken-${at}`, lists), script({ text: 'unguarded' }));
      const chunks = await collect(run);
      expect(chunks.at(-1)).toMatchObject({
        type: 'error',
        payload: { error: { code: 'processor-failed', path: `${at}/breaker` } },
      });
      expect(await run.result()).toMatchObject({ status: 'failed', text: '' });
      expect(joinText(await collect(await stack.client.follow(run.runId)))).toBe('');
    },
  );

  test('onFailure skip continues the run and records an event', async () => {
    const lists = { input: [{ use: 'breaker', onFailure: 'skip', options: { at: 'processInput' } }] };
    const run = await stack.client.start(await agent('skipping', lists), script({ text: 'fine' }));
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'fine' });
    const stage = (await stack.client.runs.events(run.runId)).find((event) => event.event === 'stage');
    expect(stage).toMatchObject({
      entries: [{ entry: 'breaker', skipped: true, error: { code: 'processor-failed' } }],
    });
  });
});
