// A parallel group seen from outside: all its members judge, the first that stops ends the run, and nobody waits for the others.
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect, textOf } from './collect.ts';
import { script } from './script.ts';
import { denier, stopper } from './verdict-processors.ts';

const nats = useNats();
/** Judges when the test says so, or is cancelled. */
let gate = Promise.withResolvers<void>();
const cancelled: string[] = [];
const waiter = defineProcessor({
  id: 'waiter',
  description: 'judges late',
  stages: ['processInput', 'processToolCall'],
  reads: ['input'],
  options: z.strictObject({}),
  create: () => ({ id: 'waiter', processInput: wait, processToolCall: wait }),
});
async function wait({ abortSignal, run, entry }: { abortSignal: AbortSignal; run: { runId: string }; entry: string }) {
  abortSignal.addEventListener('abort', () => cancelled.push(`${run.runId} ${entry}`), { once: true });
  await Promise.race([gate.promise, new Promise((resolve) => abortSignal.addEventListener('abort', resolve))]);
  return undefined;
}
afterEach(() => {
  gate.resolve();
  gate = Promise.withResolvers();
});

/** Aborts at a word of the input, when the test says that it has judged. */
const lateJudge = defineProcessor({
  id: 'late-judge',
  description: 'judges late, and aborts at a word',
  stages: ['processInput'],
  reads: ['input'],
  options: z.strictObject({}),
  create: () => ({
    id: 'late-judge',
    async processInput({ messages, abort }) {
      await gate.promise;
      if (JSON.stringify(messages).includes('forbidden')) abort('a forbidden word');
      return undefined;
    },
  }),
});

useProcessors(nats, [stopper, denier, waiter, lateJudge]);
const stack = useStack(nats, ['orchestrator', 'tools']);
const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', tools: ['calculator'] };

describe('a parallel group', () => {
  test('ends the run with its first abort, cancels the members that are at work, and asks no model', async () => {
    const stop = { use: 'stopper', options: { at: 'processInput' } };
    const slow = ['one', 'two'].map((as) => ({ use: 'waiter', as, timeoutMs: 60_000 }));
    await stack.client.agents.apply({ ...base, name: 'first-abort', input: [{ parallel: [...slow, stop] }] });
    const run = await stack.client.start('first-abort', script({ text: 'Hello.' }));
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'aborted', tripwire: { processorId: 'stopper' } });
    const events = await stack.client.runs.events(run.runId);
    expect(events.flatMap((event) => (event.event === 'stage' ? event.entries : []))).toMatchObject([
      { entry: 'stopper', verdict: 'abort' },
      { entry: 'one', verdict: 'cancelled' },
      { entry: 'two', verdict: 'cancelled' },
    ]);
    expect(events.some(({ event }) => event === 'model')).toBe(false);
    await expect.poll(() => cancelled.filter((one) => one.startsWith(run.runId)).length).toBe(2);
  });

  test('lets the run go on when all have agreed, at every stage of its list', async () => {
    gate.resolve();
    await stack.client.agents.apply({
      ...base,
      name: 'all-agree',
      input: [{ parallel: ['waiter', { use: 'waiter', as: 'other' }] }],
    });
    const calls = [{ name: 'calculator', args: { expression: '1 + 1' } }];
    const run = await stack.client.start('all-agree', script({ toolCalls: calls }, { text: 'Two.' }));
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Two.' });
    const stages = (await stack.client.runs.events(run.runId)).flatMap((event) =>
      event.event === 'stage' ? [`${event.stage} ${event.entries.length}`] : [],
    );
    expect(stages).toEqual(['processInput 2', 'processToolCall 2']);
  });

  test('takes the change of a member for its failure', async () => {
    await stack.client.agents.apply({ ...base, name: 'changing', input: [{ parallel: ['denier'] }] });
    const calls = [{ name: 'calculator', args: { expression: '1 + 1' } }];
    const run = await stack.client.start('changing', script({ toolCalls: calls }, { text: 'Two.' }));
    await collect(run);
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'processor-verdict-refused', path: 'processToolCall/denier' },
    });
  });
});

describe('a group that overlaps the model', () => {
  const begin = async (said: string) => {
    const input = [{ parallel: [{ use: 'late-judge', timeoutMs: 60_000 }], overlap: 'model' }];
    await stack.client.agents.apply({ ...base, name: 'beside', input });
    const run = await stack.client.start('beside', `${said} ${script({ text: 'Hello.' })}`);
    const chunks = collect(run);
    return { run, chunks };
  };

  test('lets nothing out of an answer whose input it stops', async () => {
    const { run, chunks } = await begin('forbidden');
    gate.resolve();
    expect((await chunks).map(({ type }) => type)).toEqual(['start', 'tripwire']);
    expect(await run.result()).toMatchObject({ status: 'aborted', text: '', messages: [], steps: [] });
  });

  test('lets the answer out when it agrees', async () => {
    const { run, chunks } = await begin('hello');
    gate.resolve();
    expect(textOf(await chunks)).toBe('Hello.');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Hello.' });
  });
});
