// Entries that observe, seen from outside: the run ends as if they were not there, and what they found stands in its events.
import type { JsonObject } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect, textOf } from './collect.ts';
import { script } from './script.ts';
import { halter, stopper } from './verdict-processors.ts';

const nats = useNats();
const hanging = Promise.withResolvers<void>();
const finder = defineProcessor({
  id: 'finder',
  description: 'finds something everywhere, and changes and writes what it can',
  stages: ['processInput', 'processOutputStream', 'processOutputResult'],
  reads: ['input', 'response'],
  options: z.strictObject({}),
  create: () => ({
    id: 'finder',
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
  }),
});
const hanger = defineProcessor({
  id: 'hanger',
  description: 'never comes to an end',
  stages: ['processInput', 'processOutputStream', 'processOutputResult'],
  reads: [],
  options: z.strictObject({}),
  create: () => ({
    id: 'hanger',
    processInput: async () => hanging.promise,
    processOutputStream: async ({ part }) => hanging.promise.then(() => part),
    processOutputResult: async () => hanging.promise,
  }),
});
useProcessors(nats, [finder, hanger, halter, stopper]);
const stack = useStack(nats, ['orchestrator']);

const ask = async (name: string, observers: JsonObject[], more: JsonObject = {}) => {
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', input: observers, output: observers, ...more });
  const run = await stack.client.start(name, script({ text: 'Hello.' }));
  const chunks = await collect(run);
  return { chunks, result: await run.result(), events: () => stack.client.runs.eventsDetail(run.runId) };
};

describe('an entry that observes', () => {
  test('changes, shows and stops nothing; what it found stands in the events alone', async () => {
    const stop = { use: 'stopper', options: { at: 'processInput' }, observe: true };
    const { chunks, result, events } = await ask('observed', [{ use: 'finder', observe: true }, stop]);
    expect(result).toMatchObject({ status: 'finished', text: 'Hello.', violations: [] });
    expect(textOf(chunks)).toBe('Hello.');
    expect(chunks.filter(({ type }) => type.startsWith('data-'))).toEqual([]);
    await expect
      .poll(async () =>
        (await events()).flatMap((event) =>
          event.event === 'stage' ? event.entries.flatMap(({ violations = [] }) => violations) : [],
        ),
      )
      .toMatchObject([{ message: 'found in the input' }, { message: 'found in the answer' }]);
    expect((await events()).flatMap((event) => (event.event === 'stage' ? event.entries : []))).toContainEqual(
      expect.objectContaining({ entry: 'stopper', verdict: 'abort', observed: true }),
    );
  });

  test('leaves an agent its raw data, which an entry that may change the answer does not', async () => {
    const { chunks } = await ask('raw-observed', [{ use: 'finder', observe: true }], { raw: true });
    expect(chunks.filter(({ type }) => type === 'raw').length).toBeGreaterThan(0);
    const output = [{ use: 'finder' }];
    const judged = stack.client.agents.apply({ name: 'raw-judged', model: 'openai/gpt-5-mini', raw: true, output });
    await expect(judged).rejects.toMatchObject({ issues: [{ code: 'agent-invalid', path: 'raw' }] });
  });

  test('that hangs holds nobody up, and is given up soon after the run, as its events say', async () => {
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
