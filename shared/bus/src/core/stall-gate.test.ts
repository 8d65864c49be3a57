import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStallGate, STALL_MS, type StallGate } from './stall-gate.ts';

let now = 0;
let gate: StallGate;
let flushes: PromiseWithResolvers<void>[] = [];
const never = new AbortController().signal;
beforeEach(() => {
  vi.useFakeTimers();
  flushes = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const flush = () => {
    const deferred = Promise.withResolvers<void>();
    flushes.push(deferred);
    return deferred.promise;
  };
  gate = createStallGate({ nc: { flush } });
});
afterEach(() => {
  gate.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The clock moves and the timers fire, as in a process that is responsive. */
const pass = (ms: number) => {
  for (let left = ms; left > 0; left -= 250) {
    now += 250;
    vi.advanceTimersByTime(250);
  }
};
/** The clock moves and no timer fires. */
const stall = (ms: number) => void (now += ms);

test('a gate of a responsive process lets a call start at once and flushes nothing', () => {
  pass(5_000);
  expect(gate.pass(never)).toBeUndefined();
  expect(flushes).toHaveLength(0);
  gate.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a gate holds calls after a stall until one flush has been answered', async () => {
  pass(1_000);
  stall(STALL_MS + 1);
  const started: string[] = [];
  const calls = ['a', 'b'].map(async (name) => {
    await gate.pass(never);
    started.push(name);
  });
  await Promise.resolve();
  expect({ started, flushes: flushes.length }).toEqual({ started: [], flushes: 1 });
  flushes[0]?.resolve();
  await Promise.all(calls);
  expect(started).toEqual(['a', 'b']);
  expect(gate.pass(never)).toBeUndefined();
});

test('a timer that fires late closes the gate before a request is read', () => {
  stall(STALL_MS + 1);
  vi.advanceTimersByTime(250);
  expect(gate.pass(never)).toBeInstanceOf(Promise);
});

test('a gate opens when the flush fails, and releases a call if its signal fires first', async () => {
  stall(STALL_MS + 1);
  const call = new AbortController();
  const cancelled = gate.pass(call.signal);
  call.abort();
  await cancelled;
  expect(gate.pass(never)).toBeInstanceOf(Promise);
  const held = gate.pass(never);
  flushes[0]?.reject(new Error('connection lost'));
  await held;
  expect(gate.pass(never)).toBeUndefined();
});
