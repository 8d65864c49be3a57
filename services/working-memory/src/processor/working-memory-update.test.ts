import type { JsonObject } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ada, createMemoryRig } from '../testing/memory-rig.ts';
import { UPDATE_MAX_BYTES } from './extraction.ts';
import { MEMORY_FULL_BYTES } from './memory-bound.ts';
import { aRun, callStages, type StageCallInput } from '@millrace/testkit';

let rig: Awaited<ReturnType<typeof createMemoryRig>>;
beforeEach(async () => {
  rig = await createMemoryRig();
});
afterEach(() => rig.close());

async function atOutput(options: JsonObject = {}, changes: Partial<StageCallInput> = {}) {
  const { verdicts } = await callStages({
    stage: 'processOutputResult',
    uses: [{ definition: rig.definition, options }],
    input: ['My name is Ada.'],
    response: ['Nice to meet you.'],
    ...changes,
  });
  return verdicts;
}
const continues = [{ type: 'continue' }];
/** What the model was sent, as text. */
const asked = () => rig.provider.requests.map(({ body }) => JSON.stringify(body));

describe('WorkingMemoryProcessor: output', () => {
  test('extracts working memory from conversation', async () => {
    await rig.seed({ city: 'Oslo' });
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await atOutput()).toEqual(continues);
    expect(rig.provider.requests).toMatchObject([{ path: '/v1/responses', body: { model: 'gpt-5-mini' } }]);
    expect(asked()[0]).toContain('User: My name is Ada.\\nAssistant: Nice to meet you.');
    expect(asked()[0]).toContain(JSON.stringify(JSON.stringify({ city: 'Oslo' })).slice(1, -1));
  });

  test('merges with existing memory', async () => {
    await rig.seed({ name: 'Ada', city: 'Oslo', pets: ['Rex'] });
    rig.provider.answer(() => ({ city: 'Rome', name: null, pets: ['Tom', 'Rex'] }));
    const schema = { type: 'object', properties: { city: {}, name: {}, pets: { type: 'array' } } };
    expect(await atOutput({ schema })).toEqual(continues);
    expect(await rig.memory()).toEqual({ city: 'Rome', pets: ['Rex', 'Tom'] });
  });

  test('replaces existing memory when configured', async () => {
    await rig.seed({ name: 'Ada', city: 'Oslo' });
    rig.provider.answer(() => ({ name: 'Eve' }));
    expect(await atOutput({ strategy: 'replace' })).toEqual(continues);
    expect(await rig.memory()).toEqual({ name: 'Eve' });
  });

  test.each([
    ['the model answers what does not fit', 'extraction-failed', () => rig.provider.answer(() => ({ admin: true }))],
    ['the model answers prose', 'extraction-failed', () => rig.provider.answer(() => 'Her name is Ada.')],
    ['the provider refuses', 'model-call-failed', () => rig.provider.fail({ status: 400 })],
  ])('handles extraction failures: %s', async (_, code, prepare) => {
    await rig.seed({ name: 'Ada' });
    prepare();
    expect(await atOutput()).toMatchObject([{ type: 'failure', code }]);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('an answer larger than any memory is refused before it is looked at', async () => {
    await rig.seed({ name: 'Ada' });
    rig.provider.answer(() => ({ name: 'x'.repeat(UPDATE_MAX_BYTES) }));
    expect(await atOutput()).toMatchObject([{ type: 'failure', code: 'extraction-failed' }]);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('a nested empty text in the answer erases nothing', async () => {
    await rig.seed({ home: { city: 'Oslo' } });
    rig.provider.answer(() => ({ home: { city: '' } }));
    const home = { type: 'object', properties: { city: { type: 'string' } } };
    expect(await atOutput({ schema: { type: 'object', properties: { home } } })).toEqual(continues);
    expect(await rig.memory()).toEqual({ home: { city: 'Oslo' } });
  });

  test('a memory that is full says so to who looks at the events, without what was said', async () => {
    await rig.seed({ notes: 'x'.repeat(MEMORY_FULL_BYTES) });
    rig.provider.answer(() => ({ notes: null }));
    expect(await atOutput()).toMatchObject([{ violations: [{ rule: 'memory-max-bytes', count: 1 }] }]);
    expect(await rig.memory()).toEqual({});
  });

  test('updates resource storage', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await atOutput()).toEqual(continues);
    expect(await rig.memory(ada)).toEqual({ name: 'Ada' });
    expect(await rig.memory({ tenant: 'default', key: 'eve' })).toBeNull();
    expect(await rig.memory({ ...ada, threadId: 'thread-1' })).toBeNull();
  });

  test('with scope thread the thread’s own storage', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    await atOutput({ scope: 'thread' });
    expect(await rig.memory({ ...ada, threadId: 'thread-1' })).toEqual({ name: 'Ada' });
    expect(await rig.memory(ada)).toBeNull();
  });

  test('the model is the option’s, asked with the fields of the template', async () => {
    await atOutput({ model: 'openai-chat/small', template: 'User email: {{email}}' });
    expect(rig.provider.requests).toMatchObject([{ path: '/v1/chat/completions', body: { model: 'small' } }]);
    expect(asked()[0]).toContain('"email"');
  });

  test('an empty text says nothing: it is neither remembered nor does it delete', async () => {
    await rig.seed({ name: 'Ada' });
    rig.provider.answer(() => ({ name: '', location: '' }));
    expect(await atOutput()).toEqual(continues);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('a repeated call changes nothing and asks no model', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    await atOutput();
    rig.provider.answer(() => ({ name: 'Eve' }));
    expect(await atOutput()).toEqual(continues);
    expect(rig.provider.requests).toHaveLength(1);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test.each<[string, JsonObject, Partial<StageCallInput>]>([
    ['a read-only memory', { readOnly: true }, {}],
    ['a run where no model has answered', {}, { answered: false }],
    ['a run without a thread', {}, { run: aRun({ threadId: undefined }) }],
    ['a run where nobody said anything', {}, { input: [''], response: [] }],
  ])('%s asks no model and stores nothing', async (_, options, changes) => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await atOutput(options, changes)).toEqual(continues);
    expect(rig.provider.requests).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('gives up when the run does', async () => {
    const controller = new AbortController();
    rig.provider.answer(async () => {
      controller.abort(new Error('cancelled'));
      return { name: 'Ada' };
    });
    expect(await atOutput({}, { signal: controller.signal })).toMatchObject([{ type: 'failure' }]);
    expect(await rig.memory()).toBeNull();
  });

  test('two runs at once both leave their update', async () => {
    const both = Promise.withResolvers<void>();
    const schema = { type: 'object', properties: { likes: { type: 'array' } } };
    rig.provider.answer(async ({ body }) => {
      if (rig.provider.requests.length === 2) both.resolve();
      await both.promise;
      return { likes: [JSON.stringify(body).includes('tea') ? 'tea' : 'go'] };
    });
    await Promise.all([
      atOutput({ schema }, { run: aRun({ runId: 'a' }), input: ['I like tea.'] }),
      atOutput({ schema }, { run: aRun({ runId: 'b', threadId: 'another' }), input: ['I like go.'] }),
    ]);
    const memory = await rig.memory();
    expect(memory).toEqual({ likes: expect.arrayContaining(['go', 'tea']) });
  });
});
