// Observing entries, from outside: the run ends as without them, and its events hold their findings.
import type { JsonObject } from '@millrace/contracts';
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';
import { halter, stopper } from './verdict-processors.ts';

const stack = useSharedStack();
const hanging = Promise.withResolvers<void>();
/** Reports a finding at every stage, and changes and writes everything possible. */
const finder = defineMethods(
  'finder',
  {
    processInput: async ({ onViolation, writer }) => {
      onViolation({ message: 'found in the input' });
      await writer.custom({ type: 'data-found', data: {} });
      return [];
    },
    processOutputStream: async ({ part, onViolation }) => {
      if (part.type === 'text-end') onViolation({ message: 'found in the answer' });
      return null;
    },
    processOutputResult: () => [],
  },
  { reads: ['input', 'response'] },
);
/** Never returns. */
const hanger = defineMethods('hanger', {
  processInput: async () => hanging.promise,
  processOutputStream: async ({ part }) => hanging.promise.then(() => part),
  processOutputResult: async () => hanging.promise,
});
useProcessors(stack, [finder, hanger, halter, stopper]);

const ask = async (name: string, observers: JsonObject[], more: JsonObject = {}) => {
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', input: observers, output: observers, ...more });
  const run = await stack.client.start(name, script({ text: 'Hello.' }));
  const chunks = await collect(run);
  return { chunks, result: await run.result(), events: () => stack.client.runs.eventsDetail(run.runId) };
};

describe('an observing entry', () => {
  test('an observing entry changes, publishes and stops nothing, and its findings are in the events only', async () => {
    const stop = { use: 'stopper', options: { at: 'processInput' }, observe: true };
    const { chunks, result, events } = await ask('observed', [{ use: 'finder', observe: true }, stop]);
    expect(result).toMatchObject({ status: 'finished', text: 'Hello.', violations: [] });
    expect(joinText(chunks)).toBe('Hello.');
    expect(chunks.filter(({ type }) => type.startsWith('data-'))).toEqual([]);
    await expect
      .poll(async () =>
        (await events()).flatMap((event) =>
          event.event === 'stage' ? event.entries.flatMap(({ violations = [] }) => violations) : [],
        ),
      )
      .toMatchObject([
        { message: 'found in the input' },
        { message: 'found in the answer' },
        { rule: 'chunk-kept', message: expect.stringContaining('"finish"') },
      ]);
    expect((await events()).flatMap((event) => (event.event === 'stage' ? event.entries : []))).toContainEqual(
      expect.objectContaining({ entry: 'stopper', verdict: 'abort', observed: true }),
    );
  });

  test('an observing entry lets an agent keep its raw data, unlike an entry that can change the answer', async () => {
    const { chunks } = await ask('raw-observed', [{ use: 'finder', observe: true }], { raw: true });
    expect(chunks.filter(({ type }) => type === 'raw').length).toBeGreaterThan(0);
    const output = [{ use: 'finder' }];
    const judged = stack.client.agents.apply({ name: 'raw-judged', model: 'openai/gpt-5-mini', raw: true, output });
    await expect(judged).rejects.toMatchObject({ issues: [{ code: 'agent-invalid', path: 'raw' }] });
  });

  test('an observing entry that hangs delays no run, and is cancelled soon after the run, as its events report', async () => {
    const { result, events } = await ask('hung', [{ use: 'hanger', observe: true, timeoutMs: 60_000 }]);
    expect(result).toMatchObject({ status: 'finished', text: 'Hello.' });
    await expect
      .poll(async () => (await events()).filter((event) => event.event === 'stage').length, { timeout: 10_000 })
      .toBeGreaterThan(0);
    const told = (await events()).flatMap((event) => (event.event === 'stage' ? event.entries : []));
    expect(told).not.toContainEqual(expect.objectContaining({ verdict: 'continue' }));
    hanging.resolve();
  });
});
