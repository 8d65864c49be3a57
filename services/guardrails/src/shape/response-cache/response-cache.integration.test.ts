// Tests response-cache with a real Redis: equal requests, sharing between owners, and manipulated values in Redis.
import type { Chunk, JsonObject, RunRef } from '@millrace/contracts';
import type { ProcessLLMRequestArgs, ProcessLLMResponseArgs } from '@millrace/processor';
import { closeRedis, connectRedis } from '@millrace/stores';
import { commonArgs, processorConformance, textChunks, useRedis } from '@millrace/testkit';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGuardStore, NO_STORE, type GuardStore } from '../../store/guard-store.ts';
import { defineResponseCache } from './response-cache.ts';

const server = useRedis();
const log = { info: () => undefined, warn: () => undefined };
let store: GuardStore;
let redis: Redis;
beforeEach(async () => {
  redis = await connectRedis({ url: server.url, service: 'test', store: 'test', log });
  await redis.flushdb();
  store = createGuardStore({ url: server.urlAs('guardrails') }, log);
});
afterEach(async () => {
  await store.close();
  await closeRedis(redis);
});

const run: RunRef = { tenant: 'acme', runId: 'r1', agent: 'demo', epoch: 1, threadId: 't1', resourceId: 'ada' };
const question = {
  run,
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is 17 * 23?' }] }],
  model: 'openai/x',
  tools: [],
  modelSettings: { temperature: 0 },
  providerOptions: {},
  guards: [{ entry: 'pii', processor: 'pii', version: '1.0.0', options: 'abc' }],
};
type Question = Partial<Record<keyof ProcessLLMRequestArgs, unknown>>;
const answer = textChunks(['It is ', '391.']);

const cache = (options: JsonObject = {}, kept = store) => {
  const definition = defineResponseCache(kept);
  return definition.create(definition.options.parse(options));
};
const requestArgs = (more: Question, state: JsonObject) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the cache looks at
  ({ ...commonArgs(state), ...question, ...more }) as unknown as ProcessLLMRequestArgs;
/** The answer of the cache. */
async function ask(
  more: Question = {},
  options: JsonObject = {},
  state: JsonObject = {},
): Promise<Chunk[] | undefined> {
  const result = await cache(options).processLLMRequest?.(requestArgs(more, state));
  return result && 'response' in result && typeof result.response === 'object' ? result.response.chunks : undefined;
}
type Said = { chunks?: Chunk[]; finishReason?: string; fromCache?: boolean; stepNumber?: number };
async function learn(
  more: Question = {},
  said: Said = {},
  options: JsonObject = {},
  state: JsonObject = {},
): Promise<void> {
  await ask(more, options, state);
  const given = { chunks: answer, finishReason: 'stop', fromCache: false, ...said };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  const args = { ...commonArgs(state), run, ...given } as unknown as ProcessLLMResponseArgs;
  await cache(options).processLLMResponse?.(args);
}

describe('cached questions', () => {
  test('the cache answers a repeated question until the answer expires', async () => {
    expect(await ask()).toBeUndefined();
    await learn({}, {}, { ttlSeconds: 60 });
    expect(await ask()).toEqual(answer);
    const [key = ''] = await redis.keys('acme:response-cache:{resource:*');
    expect(await redis.ttl(key)).toBeGreaterThan(50);
    expect(key.startsWith('acme:response-cache:{resource:resource:ada}:')).toBe(true);
    expect(key).not.toContain('17');
  });

  test('the order of members does not change the key', async () => {
    await learn({ modelSettings: { temperature: 0, seed: 1 } });
    expect(await ask({ modelSettings: { seed: 1, temperature: 0 } })).toEqual(answer);
  });

  test.each<[string, Question]>([
    ['prompt', { prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is 17 * 24?' }] }] }],
    ['model', { model: 'openai/y' }],
    ['settings', { modelSettings: { temperature: 1 } }],
    ['provider options', { providerOptions: { openai: { user: 'x' } } }],
    ['tools', { tools: [{ name: 'clock' }] }],
    ['tool choice', { toolChoice: 'required' }],
    ['schema', { structuredOutput: { schema: {} } }],
    ['guard', { guards: [] }],
    ['version of a guard', { guards: [{ ...question.guards[0], version: '1.0.1' }] }],
    ['options of a guard', { guards: [{ ...question.guards[0], options: 'abd' }] }],
    ['agent', { run: { ...run, agent: 'other' } }],
    ['tenant', { run: { ...run, tenant: 'other' } }],
    ['resource', { run: { ...run, resourceId: 'eve' } }],
  ])('a different %s changes the key', async (_what, more) => {
    await learn();
    expect(await ask(more)).toBeUndefined();
  });

  test('a question of another thread has the same key for a resource and a different key for a thread', async () => {
    const other = { run: { ...run, threadId: 't2' } };
    await learn();
    expect(await ask(other)).toEqual(answer);
    await learn({}, {}, { scope: 'thread' });
    expect(await ask(other, { scope: 'thread' })).toBeUndefined();
    expect(await ask({}, { scope: 'thread' })).toEqual(answer);
  });

  test('a run without an owner shares no answer, not even with itself', async () => {
    const { threadId: _t, resourceId: _r, ...nobody } = run;
    await learn({ run: nobody });
    expect(await redis.keys('*')).toEqual([]);
    expect(await ask({ run: nobody })).toBeUndefined();
  });

  test('the model answers a question again if its answer was rejected', async () => {
    await learn();
    expect(await ask({ retryCount: 1 })).toBeUndefined();
  });
});

test('a retry deletes the rejected answer from the cache and keeps the answers of earlier steps', async () => {
  const next = { prompt: 'and then?', stepNumber: 1 };
  const state = {};
  await learn({}, {}, {}, state);
  await learn(next, { stepNumber: 1 }, {}, state);
  expect(await ask({ ...next, retryCount: 1 }, {}, state)).toBeUndefined();
  expect([await ask(), await ask(next)]).toEqual([answer, undefined]);
  // Another run that the cache answered; all of it is rejected.
  const other = {};
  await learn({}, { fromCache: true }, {}, other);
  expect(await ask({ retryCount: 1 }, {}, other)).toBeUndefined();
  expect(await ask()).toBeUndefined();
});

describe('stored answers', () => {
  const data: Chunk[] = [
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- custom chunks are of the schema's other types
    { type: 'data-x', runId: 'r', from: 'AGENT', data: 1 } as unknown as Chunk,
    { type: 'step-start', runId: 'r', from: 'AGENT', payload: {} },
  ];

  test('the cache stores an answer without the chunks of other processors', async () => {
    await learn({}, { chunks: [...data, ...answer] });
    expect(await ask()).toEqual(answer);
  });

  test.each<[string, Said]>([
    ['was cut off', { finishReason: 'length' }],
    ['was answered by the cache', { fromCache: true }],
    ['says nothing', { chunks: data }],
    ['is too long', { chunks: textChunks(['x'.repeat(600 * 1024)]) }],
  ])('the cache does not store an answer that %s', async (_what, said) => {
    await learn({}, said);
    expect(await redis.keys('*')).toEqual([]);
  });
});

describe('values in Redis', () => {
  test.each([
    ['no JSON', '{'],
    ['no list', '{"chunks":[]}'],
    ['an empty list', '[]'],
    ['a chunk of another shape', '[{"type":"text-delta","runId":"r","from":"AGENT","payload":{}}]'],
    [
      'a chunk that only an orchestrator makes',
      '[{"type":"finish","runId":"r","from":"AGENT","payload":{"stepResult":{"reason":"stop"},"output":{},"messages":[]}}]',
    ],
    [
      'a call that its provider is to have made',
      '[{"type":"tool-call","runId":"r","from":"AGENT","payload":{"toolCallId":"c","toolName":"pay","args":{},"providerExecuted":true}}]',
    ],
    ['a custom chunk', '[{"type":"data-x","runId":"r","from":"AGENT"}]'],
  ])('the cache ignores %s as an answer', async (_what, text) => {
    await learn();
    const [key = ''] = await redis.keys('acme:response-cache:{resource:*');
    await redis.set(key, text);
    expect(await ask()).toBeUndefined();
  });
});

test('a call fails without Redis, and the default policy skips the entry', async () => {
  const requestAnswer = async () => cache({}, NO_STORE).processLLMRequest?.(requestArgs({}, {}));
  await expect(requestAnswer()).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(defineResponseCache(NO_STORE).policy).toMatchObject({ onFailure: 'skip' });
});

processorConformance(() => defineResponseCache(store), { options: [{}] });
