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

async function callOutput(options: JsonObject = {}, changes: Partial<StageCallInput> = {}) {
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
/** Requests to the model, as text. */
const listRequests = () => rig.provider.requests.map(({ body }) => JSON.stringify(body));

describe('WorkingMemoryProcessor: output', () => {
  test('extracts working memory from conversation', async () => {
    await rig.seed({ city: 'Oslo' });
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await callOutput()).toMatchObject(continues);
    expect(rig.provider.requests).toMatchObject([{ path: '/v1/responses', body: { model: 'gpt-5-mini' } }]);
    expect(listRequests()[0]).toContain('User: My name is Ada.\\nAssistant: Nice to meet you.');
    expect(listRequests()[0]).toContain(JSON.stringify(JSON.stringify({ city: 'Oslo' })).slice(1, -1));
  });

  test('merges with existing memory', async () => {
    await rig.seed({ name: 'Ada', city: 'Oslo', pets: ['Rex'] });
    rig.provider.answer(() => ({ city: 'Rome', name: null, pets: ['Tom', 'Rex'] }));
    const schema = { type: 'object', properties: { city: {}, name: {}, pets: { type: 'array' } } };
    expect(await callOutput({ schema })).toMatchObject(continues);
    expect(await rig.memory()).toEqual({ city: 'Rome', pets: ['Rex', 'Tom'] });
  });

  test('replaces existing memory when configured', async () => {
    await rig.seed({ name: 'Ada', city: 'Oslo' });
    rig.provider.answer(() => ({ name: 'Eve' }));
    expect(await callOutput({ strategy: 'replace' })).toMatchObject(continues);
    expect(await rig.memory()).toEqual({ name: 'Eve' });
  });

  test.each([
    ['the model returns an invalid update', 'extraction-failed', () => rig.provider.answer(() => ({ admin: true }))],
    ['the model answers prose', 'extraction-failed', () => rig.provider.answer(() => 'Her name is Ada.')],
    ['the provider refuses', 'model-call-failed', () => rig.provider.fail({ status: 400 })],
  ])('handles extraction failures: %s', async (_, code, prepare) => {
    await rig.seed({ name: 'Ada' });
    prepare();
    expect(await callOutput()).toMatchObject([{ type: 'failure', code }]);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('working-memory rejects an answer larger than any memory before parsing it', async () => {
    await rig.seed({ name: 'Ada' });
    rig.provider.answer(() => ({ name: 'x'.repeat(UPDATE_MAX_BYTES) }));
    expect(await callOutput()).toMatchObject([{ type: 'failure', code: 'extraction-failed' }]);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('a nested empty text in the answer erases nothing', async () => {
    await rig.seed({ home: { city: 'Oslo' } });
    rig.provider.answer(() => ({ home: { city: '' } }));
    const home = { type: 'object', properties: { city: { type: 'string' } } };
    expect(await callOutput({ schema: { type: 'object', properties: { home } } })).toMatchObject(continues);
    expect(await rig.memory()).toEqual({ home: { city: 'Oslo' } });
  });

  test("a full memory is reported as a violation without the user's text", async () => {
    await rig.seed({ notes: 'x'.repeat(MEMORY_FULL_BYTES) });
    rig.provider.answer(() => ({ notes: null }));
    expect(await callOutput()).toMatchObject([{ violations: [{ rule: 'memory-max-bytes', count: 1 }] }]);
    expect(await rig.memory()).toEqual({});
  });

  test('updates resource storage', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await callOutput()).toMatchObject(continues);
    expect(await rig.memory(ada)).toEqual({ name: 'Ada' });
    expect(await rig.memory({ tenant: 'default', key: 'eve' })).toBeNull();
    expect(await rig.memory({ ...ada, threadId: 'thread-1' })).toBeNull();
  });

  test('scope thread updates the storage of the thread', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    await callOutput({ scope: 'thread' });
    expect(await rig.memory({ ...ada, threadId: 'thread-1' })).toEqual({ name: 'Ada' });
    expect(await rig.memory(ada)).toBeNull();
  });

  test('working-memory calls the model of its options with the fields of the template', async () => {
    await callOutput({ model: 'openai-chat/small', template: 'User email: {{email}}' });
    expect(rig.provider.requests).toMatchObject([{ path: '/v1/chat/completions', body: { model: 'small' } }]);
    expect(listRequests()[0]).toContain('"email"');
  });

  test('an empty text is neither stored nor deletes a field', async () => {
    await rig.seed({ name: 'Ada' });
    rig.provider.answer(() => ({ name: '', location: '' }));
    expect(await callOutput()).toMatchObject(continues);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test('a repeated call changes nothing and makes no model call', async () => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    await callOutput();
    rig.provider.answer(() => ({ name: 'Eve' }));
    expect(await callOutput()).toMatchObject(continues);
    expect(rig.provider.requests).toHaveLength(1);
    expect(await rig.memory()).toEqual({ name: 'Ada' });
  });

  test.each<[string, JsonObject, Partial<StageCallInput>]>([
    ['a read-only memory', { readOnly: true }, {}],
    ['a run where no model has answered', {}, { answered: false }],
    ['a run without a thread', {}, { run: aRun({ threadId: undefined }) }],
    ['a run without messages', {}, { input: [''], response: [] }],
  ])('%s makes no model call and stores nothing', async (_, options, changes) => {
    rig.provider.answer(() => ({ name: 'Ada' }));
    expect(await callOutput(options, changes)).toMatchObject(continues);
    expect(rig.provider.requests).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('working-memory stops when the run is cancelled', async () => {
    const controller = new AbortController();
    rig.provider.answer(async () => {
      controller.abort(new Error('cancelled'));
      return { name: 'Ada' };
    });
    expect(await callOutput({}, { signal: controller.signal })).toMatchObject([{ type: 'failure' }]);
    expect(await rig.memory()).toBeNull();
  });

  test('two concurrent runs both store their update', async () => {
    const both = Promise.withResolvers<void>();
    const schema = { type: 'object', properties: { likes: { type: 'array' } } };
    rig.provider.answer(async ({ body }) => {
      if (rig.provider.requests.length === 2) both.resolve();
      await both.promise;
      return { likes: [JSON.stringify(body).includes('tea') ? 'tea' : 'go'] };
    });
    await Promise.all([
      callOutput({ schema }, { run: aRun({ runId: 'a' }), input: ['I like tea.'] }),
      callOutput({ schema }, { run: aRun({ runId: 'b', threadId: 'another' }), input: ['I like go.'] }),
    ]);
    const memory = await rig.memory();
    expect(memory).toEqual({ likes: expect.arrayContaining(['go', 'tea']) });
  });
});
