// An object of the model that a processor breaks: the run names the processor and quotes nothing of the object.
import type { Chunk } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useOpenSteps, type Judge } from '../testing/open-steps.ts';
import { planEntry } from '../testing/plan-entries.ts';

const nats = useNats();
/** Replaces one text by another, in the words or in the object. */
const replacing = (id: string) =>
  defineProcessor({
    id,
    description: 'of a test',
    stages: ['processOutputStream'],
    reads: [],
    options: z.strictObject({
      from: z.string().default('nothing'),
      to: z.unknown().default(''),
      in: z.string().default('text'),
    }),
    create: ({ from, to, in: where }) => ({
      id,
      processOutputStream({ part }): Chunk {
        if (where === 'text' && part.type === 'text-delta')
          return { ...part, payload: { ...part.payload, text: part.payload.text.replaceAll(from, String(to)) } };
        if (where === 'object' && part.type === 'object-result')
          return { ...part, object: JSON.parse(JSON.stringify(part.object).replaceAll(from, JSON.stringify(to))) };
        return part;
      },
    }),
  });
useProcessors(nats, [replacing('one'), replacing('two')], 'guards');
useProcessors(nats, [replacing('three')], 'others');
const openStep = useOpenSteps(useBus(nats, 'orchestrator'));

const schema = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 5 }, age: { type: 'integer' } },
  required: ['name'],
};
const said = '{"name":"ada","age":42}';
const entry = (name: string, options = {}) =>
  planEntry(name, { service: name === 'three' ? 'others' : 'guards', stages: ['processOutputStream'], options });
const throwBroken = (who: string, path: string) => ({
  error: { code: 'object-broken', message: expect.stringContaining(who), path },
  ownWords: true,
});
async function answerRun(entries: ReturnType<typeof entry>[], text = said, judges: { processOutputStep?: Judge } = {}) {
  const made = await openStep([{ text }], judges, { agent: { structuredOutput: { schema } }, entries });
  const interrupt = await made.answer();
  expect(JSON.stringify(interrupt ?? null)).not.toMatch(/ada|42/);
  return { interrupt, object: made.run.getState().open?.answer?.object };
}

describe('an object that a processor of the stream', () => {
  test('masks within its schema stays the answer', async () => {
    const { interrupt, object } = await answerRun([entry('one', { from: 'ada', to: '***' })]);
    expect(interrupt).toBeUndefined();
    expect(object).toEqual({ name: '***', age: 42 });
  });

  test.each([
    ['no JSON any more', { from: '"ada"', to: '***' }],
    ['a value of another type', { from: '42', to: '"**"' }],
    ['a text that is too long', { from: 'ada', to: '[a name]' }],
    ['an object without a member that has to be there', { from: 'name', to: '****' }],
  ])("turns into %s fails the run by the processor's name", async (_what, options) => {
    const entries = [entry('one', { from: 'nothing' }), entry('two', options), entry('three', { from: '}', to: '} ' })];
    expect((await answerRun(entries)).interrupt).toMatchObject(throwBroken('"two" (two)', 'processOutputStream/two'));
  });

  test('breaks, and a later one breaks further, is attributed to the first', async () => {
    const entries = [entry('one', { from: '"ada"', to: '***' }), entry('three', { from: '{', to: '' })];
    expect((await answerRun(entries)).interrupt).toMatchObject(throwBroken('"one"', 'processOutputStream/one'));
  });

  test('breaks as a whole after its words have passed is attributed to it too', async () => {
    const entries = [entry('one'), entry('two', { from: '42', to: '**', in: 'object' })];
    const { interrupt, object } = await answerRun(entries);
    expect(interrupt).toMatchObject(throwBroken('"two"', 'processOutputStream/two'));
    expect(object).toBeUndefined();
  });
});

test('an object that a processor of processOutputStep breaks fails the run by its name', async () => {
  const processOutputStep: Judge = ({ text = '' }) => ({
    type: 'continue',
    changes: { text: text.replace('42', '"**"') },
  });
  const { interrupt } = await answerRun([entry('one', { from: 'ada', to: '***' })], said, { processOutputStep });
  expect(interrupt).toMatchObject(throwBroken('"processOutputStep"', 'processOutputStep/processOutputStep'));
});

test('an object that a later processor repairs is the answer', async () => {
  const processOutputStep: Judge = () => ({ type: 'continue', changes: { text: '{"name":"**"}' } });
  const { interrupt, object } = await answerRun([entry('one', { from: '"ada"', to: '***' })], said, {
    processOutputStep,
  });
  expect(interrupt).toBeUndefined();
  expect(object).toEqual({ name: '**' });
});

describe('an object that the model has broken is attributed to no processor', () => {
  test('if it is no JSON', async () => {
    const { interrupt } = await answerRun([entry('one', { from: 'prose', to: '***' })], 'prose');
    expect(interrupt).toMatchObject({ error: { code: 'model-call-failed' } });
  });

  test('if it is JSON but does not match the schema', async () => {
    const { interrupt, object } = await answerRun([entry('one', { from: 'x', to: 'y' })], '{"name":"x","age":"old"}');
    expect(interrupt).toBeUndefined();
    expect(object).toEqual({ name: 'y', age: 'old' });
  });
});
