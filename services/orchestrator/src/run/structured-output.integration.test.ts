// A step with a requested object: in the stream, in the answer, and through the output stream's processors.
import type { Chunk } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useOpenSteps } from '../testing/open-steps.ts';
import { planEntry } from '../testing/plan-entries.ts';

const nats = useNats();
/** Masks an object of the answer, or drops it. */
const objects = defineProcessor({
  id: 'objects',
  description: 'of objects',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.string() }),
  create: ({ does }) => ({
    id: 'objects',
    processOutputStream: async ({ part }) => {
      if (does === 'name' && part.type === 'text-delta')
        return { ...part, payload: { ...part.payload, text: part.payload.text.replace('ada', '***') } };
      if (does === 'make' && part.type === 'text-delta') return [part, { ...part, type: 'object', object: {} }];
      if (part.type !== 'object-result') return part;
      return does === 'drop' ? null : { ...part, object: { mail: '***' } };
    },
  }),
});
useProcessors(nats, [objects], 'guards');
const connection = useBus(nats, 'orchestrator');
const openStep = useOpenSteps(connection);

describe('structured output', () => {
  const agent = { structuredOutput: { schema: { type: 'object' } } };

  test('is an object in the stream and in the answer', async () => {
    const made = await openStep([{ text: '{"a":1}' }], {}, { agent });
    expect(await made.answer()).toBeUndefined();
    expect(made.asked[0]?.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } });
    expect(made.published.at(-1)).toMatchObject({ type: 'object-result', object: { a: 1 } });
    expect(made.run.getState().open?.answer?.object).toEqual({ a: 1 });
  });

  const partials = (chunks: readonly Chunk[]) =>
    chunks.flatMap((part) => (part.type === 'object' ? [part.object] : []));
  const withObjects = (does: string) => ({
    agent,
    entries: [planEntry('objects', { stages: ['processOutputStream'], options: { does } })],
  });

  test('is streamed in partial objects from the text that passed', async () => {
    const made = await openStep([{ text: '{"name":"ada"}' }], {}, withObjects('name'));
    await made.answer();
    expect(partials(made.published)).toEqual([{ name: '***' }]);
    expect(JSON.stringify(made.published)).not.toContain('ada');
  });

  test.each(['step', 'result'] as const)('is not streamed in partial objects with release: %s', async (release) => {
    const made = await openStep([{ text: '{"a":1}' }], {}, { agent: { ...agent, release } });
    await made.answer();
    expect(partials(made.published)).toEqual([]);
  });

  test('is created by no processor', async () => {
    const made = await openStep([{ text: '{"a":1}' }], {}, withObjects('make'));
    expect(await made.answer()).toMatchObject({
      form: 'error',
      error: { path: expect.stringContaining('objects') },
    });
    expect(partials(made.published)).toEqual([]);
  });

  test('is the object that the output stream’s processors pass, or none if they drop it', async () => {
    for (const does of ['mask', 'drop']) {
      const made = await openStep(
        [{ text: '{"mail":"ada@example.org"}' }],
        {},
        {
          agent,
          entries: [planEntry('objects', { stages: ['processOutputStream'], options: { does } })],
        },
      );
      await made.answer();
      const object = made.run.getState().open?.answer?.object;
      expect(object).toEqual(does === 'mask' ? { mail: '***' } : undefined);
    }
  });

  test('that is no JSON fails the run without quoting the answer', async () => {
    const made = await openStep([{ text: 'my secret' }], {}, { agent });
    expect(JSON.stringify(await made.answer())).not.toContain('secret');
  });

  test('that is missing fails the run', async () => {
    const made = await openStep([{ text: 'prose' }], {}, { agent });
    expect(await made.answer()).toMatchObject({ error: { code: 'model-call-failed' } });
  });

  test('is not expected in the text of an answer with tool calls', async () => {
    const calls = [{ toolCallId: 'c1', toolName: 'clock', input: '{}' }];
    const made = await openStep([{ text: 'Let me see.', calls }], {}, { agent });
    expect(await made.answer()).toBeUndefined();
    expect(made.run.getState().open?.answer).not.toHaveProperty('object');
  });
});
