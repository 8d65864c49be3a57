// cost-guard over a real Redis, as several replicas count in it; and without one.
import type { JsonObject, RunRef } from '@millrace/contracts';
import type { ProcessInputStepArgs, ProcessLLMResponseArgs, Processor } from '@millrace/processor';
import { closeRedis, connectRedis } from '@millrace/stores';
import { commonArgs, eventually, processorConformance, stopOf, useRedis, type TestArgs } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGuardStore, NO_STORE, type GuardStore } from '../store/guard-store.ts';
import { costGuard } from './cost-guard.ts';
import { createCostTotals } from './cost-totals.ts';

const server = useRedis();
const log = { info: () => undefined, warn: () => undefined };
const stores: GuardStore[] = [];
const open = () => {
  const store = createGuardStore(server.url, log);
  stores.push(store);
  return store;
};
beforeEach(async () => {
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'test', log });
  await redis.flushall();
  await closeRedis(redis);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

const guardOf = (options: JsonObject, store = open()): Processor =>
  costGuard(store).create(costGuard(store).options.parse({ maxCost: 1, ...options }));
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
const asked = ({ ref = run(), state = {} }: Made = {}): StepArgs => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the guard looks at
  return { ...commonArgs(state), run: ref } as unknown as StepArgs;
};
const paid = ({ ref = run(), state = {}, cost, modelCall = 1, fromCache = false }: Made) => {
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
const pay = async (guard: Processor, made: Made) => guard.processLLMResponse?.(paid(made));
const isStopped = async (guard: Processor, made: Made = {}) => {
  const stop = await stopOf(() => guard.processInputStep?.(asked(made))).catch(() => undefined);
  return stop?.kind === 'abort';
};

describe.each([['tenant'], ['resource'], ['thread']])('costs of a %s', (scope) => {
  test('are added up over replicas, and stop the next call of whoever it is', async () => {
    const [one, other] = [guardOf({ scope }), guardOf({ scope })];
    await pay(one, { cost: 0.6 });
    expect(await isStopped(other, { ref: run({ runId: 'r2' }) })).toBe(false);
    await pay(other, { ref: run({ runId: 'r2' }), cost: 0.4 });
    expect(await isStopped(one, { ref: run({ runId: 'r3' }) })).toBe(true);
  });

  test('count a call once, however often and by whomever it is told', async () => {
    const guards = [guardOf({ scope }), guardOf({ scope })];
    await Promise.all(Array.from({ length: 20 }, (_, n) => pay(guards[n % 2] ?? guardOf({ scope }), { cost: 0.9 })));
    expect(await isStopped(guards[0] ?? guardOf({ scope }))).toBe(false);
    await pay(guardOf({ scope }), { cost: 0.1, modelCall: 2 });
    expect(await isStopped(guardOf({ scope }))).toBe(true);
  });

  test('lose nothing where calls end at once', async () => {
    const guards = [guardOf({ scope, maxCost: 10 }), guardOf({ scope, maxCost: 10 })];
    const calls = Array.from({ length: 100 }, (_, n) =>
      pay(guards[n % 2] ?? guardOf({ scope }), { cost: 0.1, modelCall: n + 1 }),
    );
    await Promise.all(calls);
    expect(await isStopped(guardOf({ scope, maxCost: 10 }))).toBe(true);
    expect(await isStopped(guardOf({ scope, maxCost: 10.001 }))).toBe(false);
  });

  test('are not those of another tenant', async () => {
    await pay(guardOf({ scope }), { cost: 5 });
    expect(await isStopped(guardOf({ scope }), { ref: run({ tenant: 'other' }) })).toBe(false);
  });
});

describe.each([['run'], ['tenant'], ['resource']])('of a %s what is reserved', (scope) => {
  const options = { scope, reserve: 0.4 };
  const reserved = async (guard: Processor, state: JsonObject, ref = run()) =>
    void (await guard.processInputStep?.(asked({ ref, state })));

  test('is the cost of a call that was cut off', async () => {
    const guard = guardOf(options);
    const state = {};
    // Three calls whose answers nobody is told of: stopped by a guard of the stream, or cancelled.
    for (let call = 0; call < 3; call += 1) await reserved(guard, state);
    expect(await isStopped(guard, { state })).toBe(true);
  });

  test('is given back when the cost is told, or the answer came from a cache', async () => {
    const guard = guardOf(options);
    const state = {};
    for (let modelCall = 1; modelCall <= 9; modelCall += 1) {
      await reserved(guard, state);
      await pay(guard, { state, cost: 0.1, modelCall });
    }
    await reserved(guard, state);
    await pay(guard, { state, fromCache: true });
    // 0.9 is spent.
    expect(await isStopped(guard, { state })).toBe(false);
    await pay(guard, { state, cost: 0.1, modelCall: 10 });
    expect(await isStopped(guard, { state })).toBe(true);
  });

  test('counts once where its call is asked for again', async () => {
    const guard = guardOf(options);
    for (let attempt = 0; attempt < 5; attempt += 1) await reserved(guard, {});
    expect(await isStopped(guard, { state: {} })).toBe(false);
  });
});

test('what one run has reserved the others of its owner do not spend', async () => {
  const guard = guardOf({ scope: 'resource', reserve: 0.5 });
  const begins = async (runId: string) => !(await isStopped(guard, { ref: run({ runId }), state: {} }));
  expect([await begins('r1'), await begins('r2'), await begins('r3')]).toEqual([true, true, false]);
});

test('runs that begin at once see what the others have reserved', async () => {
  const guards = [guardOf({ scope: 'resource', reserve: 0.5 }), guardOf({ scope: 'resource', reserve: 0.5 })];
  const stopped = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      isStopped(guards[n % 2] ?? guardOf({}), { ref: run({ runId: `r${n}` }), state: {} }),
    ),
  );
  expect(stopped.filter((isIt) => !isIt)).toHaveLength(2);
});

test('a call that has reserved what was left is made, though it is asked for again', async () => {
  const guard = guardOf({ scope: 'resource', reserve: 0.5 });
  const begins = async (runId: string) => !(await isStopped(guard, { ref: run({ runId }), state: {} }));
  expect([await begins('r1'), await begins('r2'), await begins('r2'), await begins('r3')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('owners whose names look alike have totals of their own', async () => {
  const guard = guardOf({ scope: 'thread' });
  await pay(guard, { ref: run({ resourceId: 'a:b', threadId: 'c' }), cost: 5 });
  expect(await isStopped(guard, { ref: run({ resourceId: 'a', threadId: 'b:c' }) })).toBe(false);
  const ofResource = guardOf({ scope: 'resource' });
  await pay(ofResource, { ref: run({ resourceId: 'thread::t9' }), cost: 5 });
  const { resourceId: _, ...alone } = run({ threadId: 't9' });
  expect(await isStopped(ofResource, { ref: alone })).toBe(false);
});

test('a run that has no thread and no resource has the limit to itself', async () => {
  const { threadId: _t, resourceId: _r, ...ref } = run();
  const guard = guardOf({ scope: 'resource' });
  const state = {};
  await pay(guard, { ref, state, cost: 2 });
  expect(await isStopped(guard, { ref, state })).toBe(true);
  expect(await isStopped(guard, { ref: { ...ref, runId: 'r2' } })).toBe(false);
});

test('a window begins anew; what was counted before its end is not counted again after it', async () => {
  const store = open();
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

test('what is in Redis begins with the tenant and ends by itself', async () => {
  await pay(guardOf({ scope: 'resource' }), { cost: 0.5 });
  const redis = await connectRedis({ url: server.url, service: 'test', store: 'test', log });
  const keys = await redis.keys('*');
  expect(keys.every((key) => key.startsWith('acme:cost:{resource:resource:ada}'))).toBe(true);
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  await closeRedis(redis);
});

describe('costs of a run', () => {
  test('need no Redis: they stand in its state', async () => {
    const guard = guardOf({}, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 0.6 });
    await pay(guard, { state, cost: 0.6 });
    expect(await isStopped(guard, { state })).toBe(false);
    await pay(guard, { state, cost: 0.6, modelCall: 2 });
    expect(await isStopped(guard, { state })).toBe(true);
    expect(await isStopped(guard)).toBe(false);
  });

  test('what comes from a cache costs nothing; what nobody can tell is not free', async () => {
    const guard = guardOf({}, NO_STORE);
    const state = {};
    await pay(guard, { state, fromCache: true });
    expect(state).toEqual({});
    await expect(pay(guard, { state })).rejects.toMatchObject({ code: 'cost-unknown' });
  });

  test('may be warned of, once, and end with a text', async () => {
    const guard = guardOf({ warnAtPercent: 50, response: 'Enough for today.' }, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 0.5 });
    const [first, second] = [asked({ state }), asked({ state })];
    await guard.processInputStep?.(first);
    await guard.processInputStep?.(second);
    expect([first.violations, second.violations]).toMatchObject([[{ rule: 'cost-warning' }], []]);
    await pay(guard, { state, cost: 0.5, modelCall: 2 });
    expect(await stopOf(() => guard.processInputStep?.(asked({ state })))).toMatchObject({
      kind: 'halt',
      response: 'Enough for today.',
    });
  });

  test('are only told of with strategy warn', async () => {
    const guard = guardOf({ strategy: 'warn' }, NO_STORE);
    const state = {};
    await pay(guard, { state, cost: 2 });
    const args = asked({ state });
    await guard.processInputStep?.(args);
    expect(args.violations).toMatchObject([{ rule: 'cost-limit', strategy: 'warn' }]);
  });
});

describe('without Redis', () => {
  test('what was given none fails by name', async () => {
    await expect(guardOf({ scope: 'tenant' }, NO_STORE).processInputStep?.(asked())).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('REDIS_URL'),
    });
  });

  test('that is away a call fails, and counts again when it is back', async () => {
    const guard = guardOf({ scope: 'tenant' });
    await pay(guard, { cost: 0.5 });
    await server.stop();
    await expect(pay(guard, { cost: 0.5, modelCall: 2 })).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(guard.processInputStep?.(asked())).rejects.toMatchObject({ code: 'store-unavailable' });
    await server.start();
    await eventually(async () => {
      await pay(guard, { cost: 0.5, modelCall: 2 });
      return true;
    });
    expect(await isStopped(guard)).toBe(true);
  });
});

describe('over Redis', () => {
  processorConformance(() => costGuard(open()), { options: [{ maxCost: 1, scope: 'tenant' }] });
});
