// processInputStep and its neighbours: the model, tools and settings of a foreign processor.
import { buildConversation } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { callForeign } from '../testing/foreign-rig.ts';

const tool = {
  name: 'clock',
  description: 'a clock',
  inputSchema: {},
  subject: 'mr.v1.tool.tools.clock',
  idempotent: true,
  timeoutMs: 1,
};
const input = { conversation: buildConversation({ input: ['hi'] }), model: 'openai/gpt-5-mini', tools: [tool] };
const stepping = (processInputStep: (args: Record<string, unknown>) => unknown) =>
  callForeign({ id: 'stepping', processInputStep }, 'processInputStep', { input });

describe('the model of a foreign step', () => {
  test('The model has a provider and a name, and throws if it is called', async () => {
    const seen: unknown[] = [];
    const verdict = await stepping(({ model }) => {
      const given = Object(model);
      seen.push(given.provider, given.modelId);
      return given.doStream();
    });
    expect(seen).toEqual(['openai', 'gpt-5-mini']);
    expect(verdict).toMatchObject({
      type: 'failure',
      code: 'not-built-yet',
      message: expect.stringContaining('doStream'),
    });
  });

  test.each([
    ['a router id', () => 'openai/gpt-5', 'openai/gpt-5'],
    ['the model that was given', ({ model }: Record<string, unknown>) => model, 'openai/gpt-5-mini'],
    ['a configuration with an id', () => ({ id: 'openai/gpt-5' }), 'openai/gpt-5'],
  ])('may be returned as %s', async (_what, model, id) => {
    expect(await stepping((args) => ({ model: model(args) }))).toMatchObject({ changes: { model: id } });
  });

  test('may not be a model of its own: that cannot travel', async () => {
    expect(await stepping(() => ({ model: { provider: 'x', doStream: () => 1 } }))).toMatchObject({ code: 'not-json' });
  });
});

describe('a foreign step', () => {
  test('chooses among the tools that were given', async () => {
    expect(await stepping(({ tools }) => ({ tools, activeTools: ['clock'], toolChoice: 'none' }))).toMatchObject({
      changes: { tools: [tool], activeTools: ['clock'], toolChoice: 'none' },
    });
  });

  test('cannot bring a tool that is a function', async () => {
    expect(await stepping(() => ({ tools: { own: { description: '', execute: () => 1 } } }))).toMatchObject({
      code: 'not-json',
      message: expect.stringContaining('"own"'),
    });
  });

  test('A processor with a prompt stage is called in it', async () => {
    const told: unknown[] = [];
    const both = {
      id: 'both',
      processInputStep: (args: Record<string, unknown>) => void told.push(args['llmRequestStage']),
      processLLMRequest: () => undefined,
    };
    await callForeign(both, 'processInputStep', { input });
    await stepping((args) => void told.push(args['llmRequestStage']));
    expect(told).toEqual([true, undefined]);
  });

  test('A processor receives the caller’s whole context', async () => {
    const seen: unknown[] = [];
    const reading = {
      id: 'reading',
      // oxlint-disable-next-line typescript/no-explicit-any -- the reference's RequestContext
      processInput({ requestContext }: { requestContext: any }) {
        requestContext.set('own', new Set());
        seen.push(
          requestContext.getRaw('locale'),
          requestContext.get('mastra__threadId'),
          [...requestContext.keys()],
          requestContext.size(),
        );
      },
    };
    await callForeign(reading, 'processInput', { input, context: { requestContext: { locale: 'de' } } });
    expect(seen).toEqual([
      'de',
      'thread-1',
      ['locale', 'runId', 'tenant', 'threadId', 'resourceId', 'mastra__threadId', 'mastra__resourceId', 'own'],
      8,
    ]);
  });
});

test('a foreign error processor asks for another try, with messages that it has changed', async () => {
  const trimming = {
    id: 'trimming',
    processAPIError({
      error,
      messageList,
      retryCount,
    }: {
      error: Error;
      messageList: { removeByIds(ids: string[]): unknown };
      retryCount: number;
    }) {
      if (retryCount > 0 || !error.message.includes('too long')) return undefined;
      messageList.removeByIds(['input-0']);
      return { retry: true };
    },
  };
  const error = { name: 'AI_APICallError', message: 'too long', isRetryable: false };
  expect(await callForeign(trimming, 'processAPIError', { input: { ...input, error } })).toEqual({
    type: 'retry',
    changes: { ops: [{ op: 'remove', ids: ['input-0'] }] },
  });
  expect(
    await callForeign(trimming, 'processAPIError', { input: { ...input, error }, context: { retryCount: 1 } }),
  ).toEqual({
    type: 'continue',
  });
});
