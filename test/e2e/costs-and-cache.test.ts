// State that outlives a run and is shared by replicas: total costs, cached answers. Two replicas of the guards, one
// Redis.
import { useNats, useRedis, useRedisRecord, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const readWritten = useRedisRecord(redis);
const stack = useStack(nats, ['orchestrator']);
beforeAll(async () => {
  if (!redis.available) return;
  await stack.start('guardrails', { REDIS_URL: redis.url });
  await stack.start('guardrails', { REDIS_URL: redis.url });
}, 120_000);

const model = 'openai/gpt-5-mini';
const prices = { [model]: { input: 1, output: 1 } };
const ask = async (agent: string, resourceId: string, text = script({ text: 'Write to ada@example.com.' })) => {
  const run = await stack.client.start(agent, text, { threadId: `thread-of-${resourceId}`, resourceId });
  const chunks = await collect(run);
  return { result: await run.result(), text: joinText(chunks) };
};

describe('cost-guard', () => {
  test('cost-guard prevents further calls of a resource over its limit, on any replica', async () => {
    const input = [{ use: 'cost-guard', options: { maxCost: 1e-9, scope: 'resource' } }];
    await stack.client.agents.apply({ name: 'thrifty', model, prices, input });
    const first = await ask('thrifty', 'ada');
    expect(first.result).toMatchObject({ status: 'finished' });
    expect(first.result.usage.cost).toBeGreaterThan(1e-9);
    for (let n = 0; n < 4; n++) {
      expect((await ask('thrifty', 'ada')).result).toMatchObject({
        status: 'aborted',
        tripwire: { processorId: 'cost-guard', metadata: { rules: ['cost-limit'] } },
      });
    }
    expect((await ask('thrifty', 'eve')).result).toMatchObject({ status: 'finished' });
  });

  test('cost-guard counts calls that a guard or a cancel ended early, because they cost tokens too', async () => {
    const input = [{ use: 'cost-guard', options: { maxCost: 1e-9, scope: 'resource', window: 'month' } }];
    const output = [{ use: 'keyword', options: { keywords: ['forbidden'] } }];
    await stack.client.agents.apply({ name: 'cut', model, flushMs: 0, prices, input, output });
    const text = `This is forbidden. ${'And so on. '.repeat(50)}`;
    const slow = script({ text, chunkSize: 8, delayMs: 20 });
    const first = await ask('cut', 'bob', slow);
    expect(first.result).toMatchObject({ status: 'aborted', tripwire: { processorId: 'keyword' } });
    expect(first.result.usage).toMatchObject({ estimated: true, cost: expect.any(Number) });
    expect((await ask('cut', 'bob')).result).toMatchObject({ tripwire: { processorId: 'cost-guard' } });

    const run = await stack.client.start('cut', slow.replace('forbidden', 'allowed'), {
      threadId: 't',
      resourceId: 'cy',
    });
    for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') break;
    await run.cancel();
    expect(await run.result()).toMatchObject({ status: 'cancelled', usage: { estimated: true } });
    expect((await ask('cut', 'cy')).result).toMatchObject({ tripwire: { processorId: 'cost-guard' } });
  });

  test("cost-guard is rejected without a price of the agent's model", async () => {
    const definition = { name: 'dear', model, input: [{ use: 'cost-guard', options: { maxCost: 1 } }] };
    await expect(stack.client.agents.apply(definition)).rejects.toMatchObject({ issues: [{ code: 'model-unpriced' }] });
  });
});

describe('response-cache', () => {
  test('response-cache returns answers to their owner only, and cached answers pass the guards', async () => {
    const lists = { input: ['response-cache'], output: ['pii'] };
    await stack.client.agents.apply({ name: 'thoughtful', model, prices, ...lists });
    const first = await ask('thoughtful', 'ada');
    expect(first.result.steps).toMatchObject([{ fromCache: false }]);
    const second = await ask('thoughtful', 'ada');
    expect(second.result).toMatchObject({ status: 'finished', steps: [{ fromCache: true }], usage: {} });
    expect(second.result.usage).not.toHaveProperty('cost');
    expect([first.text, second.text]).toEqual(['Write to ***@***.***.', 'Write to ***@***.***.']);
    expect((await ask('thoughtful', 'eve')).result.steps).toMatchObject([{ fromCache: false }]);
    expect(await readWritten()).not.toContain('ada@example.com');
  });

  test('response-cache calls the model again if the guards differ', async () => {
    await stack.client.agents.apply({
      name: 'thoughtful',
      model,
      input: ['response-cache'],
      output: ['pii', 'secrets'],
    });
    expect((await ask('thoughtful', 'ada')).result.steps).toMatchObject([{ fromCache: false }]);
  });
});
