// A parallel group, from outside: all members judge, the first stop ends the run, and the others are cancelled.
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';
import { denier, stopper } from './verdict-processors.ts';

const stack = useSharedStack();
/** Judges on a signal of the test, or is cancelled. */
let gate = Promise.withResolvers<void>();
const cancelled: string[] = [];
/** Judges late. */
const waiter = defineMethods('waiter', { processInput: wait, processToolCall: wait }, { reads: ['input'] });
async function wait({ abortSignal, run, entry }: { abortSignal: AbortSignal; run: { runId: string }; entry: string }) {
  abortSignal.addEventListener('abort', () => cancelled.push(`${run.runId} ${entry}`), { once: true });
  await Promise.race([gate.promise, new Promise((resolve) => abortSignal.addEventListener('abort', resolve))]);
  return undefined;
}
afterEach(() => {
  gate.resolve();
  gate = Promise.withResolvers();
});

/** Aborts on a word of the input, on a signal of the test. */
const lateJudge = defineMethods(
  'late-judge',
  {
    async processInput({ messages, abort }) {
      await gate.promise;
      if (JSON.stringify(messages).includes('forbidden')) abort('a forbidden word');
      return undefined;
    },
  },
  { reads: ['input'] },
);

useProcessors(stack, [stopper, denier, waiter, lateJudge]);
const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', tools: ['calculator'] };

describe('a parallel group', () => {
  test('the first abort ends the run, cancels the running members, and prevents the model call', async () => {
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

  test('the run continues after all members agreed, at every stage of its list', async () => {
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

  test('a change by a member counts as its failure', async () => {
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

  test('nothing of an answer is published if the group stops its input', async () => {
    const { run, chunks } = await begin('forbidden');
    gate.resolve();
    expect((await chunks).map(({ type }) => type)).toEqual(['start', 'tripwire']);
    expect(await run.result()).toMatchObject({ status: 'aborted', text: '', messages: [], steps: [] });
  });

  test('the answer is published after the group agreed', async () => {
    const { run, chunks } = await begin('hello');
    gate.resolve();
    expect(joinText(await chunks)).toBe('Hello.');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Hello.' });
  });
});
