// Tests cost-guard with a real Redis and several replicas, and without Redis.
import type { JsonObject, RunRef } from '@millrace/contracts';
import type { ProcessInputStepArgs, ProcessLLMResponseArgs, Processor } from '@millrace/processor';
import { closeRedis, connectRedis } from '@millrace/stores';
import { commonArgs, eventually, processorConformance, catchStop, useOwnRedis, type TestArgs } from '@millrace/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createGuardStore, NO_STORE } from '../../store/guard-store.ts';
import { defineCostGuard } from './cost-guard.ts';
import { createCostTotals } from './cost-totals.ts';

const server = useOwnRedis();
const log = { info: () => undefined, warn: () => undefined };
const openStore = () => {
  const store = createGuardStore({ url: server.urlAs('guardrails') }, log);
  onTestFinished(() => store.close());
  return store;
};
beforeEach(async () => {
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'test', log });
  await redis.flushall();
  await closeRedis(redis);
});

const createGuard = (options: JsonObject, store = openStore()): Processor =>
  defineCostGuard(store).create(defineCostGuard(store).options.parse({ maxCost: 1, ...options }));
const run = (more: Partial<RunRef> = {}): RunRef => ({
  tenant: 'acme',
  runId: 'r1',
  agent: 'demo',
  epoch: 1,
  threadId: 't1',
  resourceId: 'ada',
  ...more,
});
type Made = { ref?: RunRef; state?: JsonObject; cost?: number; modelCall?: number; fromCache?: boolean };

type StepArgs = ProcessInputStepArgs & TestArgs;
const buildStepArgs = ({ ref = run(), state = {} }: Made = {}): StepArgs => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the guard looks at
  return { ...commonArgs(state), run: ref } as unknown as StepArgs;
};
const buildPaidArgs = ({ ref = run(), state = {}, cost, modelCall = 1, fromCache = false }: Made) => {
  const usage = cost === undefined ? {} : { cost };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  return {
    ...commonArgs(state),
    run: ref,
    usage,
    modelCall,
    fromCache,
    model: 'openai/x',
  } as unknown as ProcessLLMResponseArgs;
};
const pay = async (guard: Processor, made: Made) => guard.processLLMResponse?.(buildPaidArgs(made));
const isStopped = async (guard: Processor, made: Made = {}) => {
  const stop = await catchStop(() => guard.processInputStep?.(buildStepArgs(made))).catch(() => undefined);
  return stop?.type === 'abort';
};

describe.each([['tenant'], ['resource'], ['thread']])('total costs of a %s', (scope) => {
  test("replicas add up costs, and the guard stops the owner's next call", async () => {
    const [one, other] = [createGuard({ scope }), createGuard({ scope })];
    await pay(one, { cost: 0.6 });
    expect(await isStopped(other, { ref: run({ runId: 'r2' }) })).toBe(false);
    await pay(other, { ref: run({ runId: 'r2' }), cost: 0.4 });
    expect(await isStopped(one, { ref: run({ runId: 'r3' }) })).toBe(true);
  });

  test('the guard counts a call once, even if several replicas report it repeatedly', async () => {
    const guards = [createGuard({ scope }), createGuard({ scope })];
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => pay(guards[n % 2] ?? createGuard({ scope }), { cost: 0.9 })),
    );
    expect(await isStopped(guards[0] ?? createGuard({ scope }))).toBe(false);
    await pay(createGuard({ scope }), { cost: 0.1, modelCall: 2 });
    expect(await isStopped(createGuard({ scope }))).toBe(true);
  });

  test('concurrent calls lose no costs', async () => {
    const guards = [createGuard({ scope, maxCost: 10 }), createGuard({ scope, maxCost: 10 })];
    const calls = Array.from({ length: 100 }, (_, n) =>
      pay(guards[n % 2] ?? createGuard({ scope }), { cost: 0.1, modelCall: n + 1 }),
    );
    await Promise.all(calls);
    expect(await isStopped(createGuard({ scope, maxCost: 10 }))).toBe(true);
    expect(await isStopped(createGuard({ scope, maxCost: 10.001 }))).toBe(false);
  });

  test("another tenant's costs do not count", async () => {
    await pay(createGuard({ scope }), { cost: 5 });
    expect(await isStopped(createGuard({ scope }), { ref: run({ tenant: 'other' }) })).toBe(false);
  });
});

describe.each([['run'], ['tenant'], ['resource']])('costs reserved for calls of a %s', (scope) => {
  const options = { scope, reserve: 0.4 };
  const reserveCost = async (guard: Processor, state: JsonObject, ref = run()) =>
    void (await guard.processInputStep?.(buildStepArgs({ ref, state })));

  test('the guard keeps the reserve of a call that was cut off', async () => {
    const guard = createGuard(options);
    const state = {};
    // Three calls whose answers never arrive: stopped by a guard of the stream, or canceled.
    for (let call = 0; call < 3; call += 1) await reserveCost(guard, state);
    expect(await isStopped(guard, { state })).toBe(true);
  });

  test('the guard refunds the reserve when the cost is known or the answer is cached', async () => {
    const guard = createGuard(options);
    const state = {};
    for (let modelCall = 1; modelCall <= 9; modelCall += 1) {
      await reserveCost(guard, state);
      await pay(guard, { state, cost: 0.1, modelCall });
    }
    await reserveCost(guard, state);
    await pay(guard, { state, fromCache: true });
    // 0.9 is spent.
    expect(await isStopped(guard, { state })).toBe(false);
    await pay(guard, { state, cost: 0.1, modelCall: 10 });
    expect(await isStopped(guard, { state })).toBe(true);
  });

  test('the guard reserves once for a repeated call', async () => {
    const guard = createGuard(options);
    for (let attempt = 0; attempt < 5; attempt += 1) await reserveCost(guard, {});
    expect(await isStopped(guard, { state: {} })).toBe(false);
  });
});

test('one run cannot spend the reserve of another run of the same owner', async () => {
  const guard = createGuard({ scope: 'resource', reserve: 0.5 });
  const begins = async (runId: string) => !(await isStopped(guard, { ref: run({ runId }), state: {} }));
  expect([await begins('r1'), await begins('r2'), await begins('r3')]).toEqual([true, true, false]);
});

test("concurrent runs see each other's reserves", async () => {
  const guards = [createGuard({ scope: 'resource', reserve: 0.5 }), createGuard({ scope: 'resource', reserve: 0.5 })];
  const stopped = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      isStopped(guards[n % 2] ?? createGuard({}), { ref: run({ runId: `r${n}` }), state: {} }),
    ),
  );
  expect(stopped.filter((isIt) => !isIt)).toHaveLength(2);
});

test('the guard passes a repeated call that reserved the rest of the limit', async () => {
  const guard = createGuard({ scope: 'resource', reserve: 0.5 });
  const begins = async (runId: string) => !(await isStopped(guard, { ref: run({ runId }), state: {} }));
  expect([await begins('r1'), await begins('r2'), await begins('r2'), await begins('r3')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('owners with similar names have separate totals', async () => {
  const guard = createGuard({ scope: 'thread' });
  await pay(guard, { ref: run({ resourceId: 'a:b', threadId: 'c' }), cost: 5 });
  expect(await isStopped(guard, { ref: run({ resourceId: 'a', threadId: 'b:c' }) })).toBe(false);
  const ofResource = createGuard({ scope: 'resource' });
  await pay(ofResource, { ref: run({ resourceId: 'thread::t9' }), cost: 5 });
  const { resourceId: _, ...alone } = run({ threadId: 't9' });
  expect(await isStopped(ofResource, { ref: alone })).toBe(false);
});

test('a run without thread and resource has the whole limit', async () => {
  const { threadId: _t, resourceId: _r, ...ref } = run();
  const guard = createGuard({ scope: 'resource' });
  const state = {};
  await pay(guard, { ref, state, cost: 2 });
  expect(await isStopped(guard, { ref, state })).toBe(true);
  expect(await isStopped(guard, { ref: { ...ref, runId: 'r2' } })).toBe(false);
});

test('a new window starts at zero, and a cost counted in the old window does not count again', async () => {
  const store = openStore();
  let now = new Date('2026-11-21T23:59:59Z');
  const totals = createCostTotals(store, 'tenant', 'day', () => now);
  const { signal } = new AbortController();
  const call = { run: run(), id: 'call:r1.0.1', cost: 0.5 };
  await totals.add(call, signal);
  expect(await totals.read(run(), signal)).toBe(0.5);
  now = new Date('2026-11-22T00:00:01Z');
  await totals.add(call, signal);
  expect(await totals.read(run(), signal)).toBe(0);
});

test('every Redis key starts with the tenant and expires', async () => {
  await pay(createGuard({ scope: 'resource' }), { cost: 0.5 });
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'test', log });
  const keys = await redis.keys('*');
  expect(keys.every((key) => key.startsWith('acme:cost:{resource:resource:ada}'))).toBe(true);
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  await closeRedis(redis);
});

describe('costs of a run', () => {
  test("the scope run needs no Redis and stores its costs in the run's state", async () => {
    const guard = createGuard({}, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 0.6 });
    await pay(guard, { state, cost: 0.6 });
    expect(await isStopped(guard, { state })).toBe(false);
    await pay(guard, { state, cost: 0.6, modelCall: 2 });
    expect(await isStopped(guard, { state })).toBe(true);
    expect(await isStopped(guard)).toBe(false);
  });

  test('a cached answer costs nothing, and an unknown cost is an error', async () => {
    const guard = createGuard({}, NO_STORE);
    const state = {};
    await pay(guard, { state, fromCache: true });
    expect(state).toEqual({});
    await expect(pay(guard, { state })).rejects.toMatchObject({ code: 'cost-unknown' });
  });

  test.each([-5, NaN, Infinity, 1e300])('a cost of %s is an error and changes no total', async (cost) => {
    const guard = createGuard({}, NO_STORE);
    const state = {};
    await expect(pay(guard, { state, cost })).rejects.toMatchObject({ code: 'cost-unknown' });
    await pay(guard, { state, cost: 1 });
    expect(state).toMatchObject({ spent: 1 });
  });

  test('the guard warns once and can end the run with a text', async () => {
    const guard = createGuard({ warnAtPercent: 50, response: 'Enough for today.' }, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 0.5 });
    const [first, second] = [buildStepArgs({ state }), buildStepArgs({ state })];
    await guard.processInputStep?.(first);
    await guard.processInputStep?.(second);
    expect([first.violations, second.violations]).toMatchObject([[{ rule: 'cost-warning' }], []]);
    await pay(guard, { state, cost: 0.5, modelCall: 2 });
    expect(await catchStop(() => guard.processInputStep?.(buildStepArgs({ state })))).toMatchObject({
      type: 'halt',
      response: 'Enough for today.',
    });
  });

  test('the strategy warn only reports the costs', async () => {
    const guard = createGuard({ strategy: 'warn' }, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 2 });
    const args = buildStepArgs({ state });
    await guard.processInputStep?.(args);
    expect(args.violations).toMatchObject([{ rule: 'cost-limit', strategy: 'warn' }]);
  });
});

describe('cost-guard without Redis', () => {
  test('a guard without Redis fails with its error code', async () => {
    await expect(createGuard({ scope: 'tenant' }, NO_STORE).processInputStep?.(buildStepArgs())).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('REDIS_URL'),
    });
  });

  test('a call fails while Redis is unavailable and counts again after it returns', async () => {
    const guard = createGuard({ scope: 'tenant' });
    await pay(guard, { cost: 0.5 });
    await server.stop();
    await expect(pay(guard, { cost: 0.5, modelCall: 2 })).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(guard.processInputStep?.(buildStepArgs())).rejects.toMatchObject({ code: 'store-unavailable' });
    await server.start();
    await eventually(async () => {
      await pay(guard, { cost: 0.5, modelCall: 2 });
      return true;
    });
    expect(await isStopped(guard)).toBe(true);
  });
});

describe('cost-guard with Redis', () => {
  processorConformance(() => defineCostGuard(openStore()), { options: [{ maxCost: 1, scope: 'tenant' }] });
});
