// What each verdict means for a run, stage by stage, seen from outside: chunks, result, events.
import { useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, textOf } from './collect.ts';
import { script } from './script.ts';
import { breaker, cache, denier, halter, rescuer, stopper } from './verdict-processors.ts';

const nats = useNats();

useProcessors(nats, [stopper, halter, denier, cache, rescuer, breaker]);
const stack = useStack(nats, ['orchestrator', 'tools']);

const agent = applying(stack);

function stopping(at: string, more: object = {}) {
  return { input: [{ use: 'stopper', options: { at, ...more } }], output: ['stopper'], tools: ['calculator'] };
}

const withTool = script(
  { text: 'Let me see.', toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] },
  { text: 'It is 2.' },
);

describe('abort', () => {
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
  ])('at %s ends the run with one tripwire, and the model is not asked again', async (at, modelCalls) => {
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
  ])('with retry at %s asks again, with the reason, and only what was accepted stays', async (at) => {
    const name = await agent(`retry-${at}`, {
      ...stopping(at, { retry: true, times: 1 }),
      tools: [],
      maxProcessorRetries: 3,
    });
    const run = await stack.client.start(name, script({ text: 'first' }, { text: 'second' }));
    const chunks = await collect(run);
    const result = await run.result();
    const asked = ['processInput', 'processInputStep', 'processLLMRequest'].includes(at) ? 'first' : 'second';
    expect(result).toMatchObject({ status: 'finished', text: asked });
    expect(chunks.filter((chunk) => chunk.type === 'tripwire')).toHaveLength(0);
    const replayed = await collect(await stack.client.follow(run.runId));
    expect(textOf(replayed)).toBe(asked);
    expect(replayed.some((chunk) => chunk.type === 'retract')).toBe(false);
  });

  test('with retry is an abort when retries are used up, or were never set', async () => {
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

describe('halt', () => {
  test('before the model is the answer, and no model is asked', async () => {
    const name = await agent('halt-input', {
      input: [{ use: 'halter', options: { at: 'processInput', text: 'No.' } }],
    });
    const run = await stack.client.start(name, 'hello');
    const chunks = await collect(run);
    expect(textOf(chunks)).toBe('No.');
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'halted' } } });
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'No.', finishReason: 'halted' });
    expect((await stack.client.runs.events(run.runId)).some((event) => event.event === 'model')).toBe(false);
  });

  test('with an empty text ends the run as well as any other', async () => {
    const name = await agent('halt-empty', { input: [{ use: 'halter', options: { at: 'processInput', text: '' } }] });
    expect(await (await stack.client.start(name, 'hello')).result()).toMatchObject({
      status: 'finished',
      text: '',
      finishReason: 'halted',
    });
  });

  test('after the model takes its answer back', async () => {
    const name = await agent('halt-step', {
      output: [{ use: 'halter', options: { at: 'processOutputStep', text: 'Instead.' } }],
    });
    const run = await stack.client.start(name, script({ text: 'what the model says' }));
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Instead.', finishReason: 'halted' });
    expect(textOf(await collect(await stack.client.follow(run.runId)))).toBe('Instead.');
  });
});

describe('deny', () => {
  test('keeps the tool from running and tells the model; allowed calls run as they were changed', async () => {
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

  test('an unknown tool and bad arguments are told to the model, and the loop goes on', async () => {
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

describe('respond', () => {
  test('answers without the model, through the same processors, and processLLMResponse knows', async () => {
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

describe('model errors', () => {
  test('processAPIError asks again with changed messages', async () => {
    const name = await agent('rescued', { error: ['rescuer'] });
    const run = await stack.client.start(
      name,
      script({ error: { status: 400, message: 'too long' } }, { text: 'short' }),
    );
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'short' });
  });

  test('429 and 5xx are tried twice more', async () => {
    const name = await agent('plain', {});
    const error = { status: 503, message: 'busy', retryAfterSeconds: 0 };
    const run = await stack.client.start(name, script({ error }, { error }, { text: 'here' }));
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'here' });
  });

  test('an error that nobody handles fails the run, and says what the provider said', async () => {
    const run = await stack.client.start('plain', script({ error: { status: 400, message: 'no such thing' } }));
    const result = await run.result();
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model-call-failed' } });
    expect(result.error?.message).toContain('no such thing');
  });

  test('a stream that breaks off is taken back before the next try', async () => {
    const run = await stack.client.start(
      'plain',
      script({ text: 'half of', error: { status: 500, message: 'gone' } }, { text: 'whole' }),
    );
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'whole' });
    expect(textOf(await collect(await stack.client.follow(run.runId)))).toBe('whole');
  });
});

describe('failure', () => {
  test.each(['processInput', 'processOutputStep', 'processOutputStream'])(
    'a processor that throws at %s fails the run, and no text of it counts',
    async (at) => {
      const lists = { input: [{ use: 'breaker', options: { at } }], output: ['breaker'] };
      const run = await stack.client.start(await agent(`broken-${at}`, lists), script({ text: 'unguarded' }));
      const chunks = await collect(run);
      expect(chunks.at(-1)).toMatchObject({
        type: 'error',
        payload: { error: { code: 'processor-failed', path: `${at}/breaker` } },
      });
      expect(await run.result()).toMatchObject({ status: 'failed', text: '' });
      expect(textOf(await collect(await stack.client.follow(run.runId)))).toBe('');
    },
  );

  test('onFailure skip goes on, and leaves an event', async () => {
    const lists = { input: [{ use: 'breaker', onFailure: 'skip', options: { at: 'processInput' } }] };
    const run = await stack.client.start(await agent('skipping', lists), script({ text: 'fine' }));
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'fine' });
    const stage = (await stack.client.runs.events(run.runId)).find((event) => event.event === 'stage');
    expect(stage).toMatchObject({
      entries: [{ entry: 'breaker', skipped: true, error: { code: 'processor-failed' } }],
    });
  });
});
