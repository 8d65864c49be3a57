import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFlushTick, chooseInterval } from './flush-tick.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The times at which the waits end, ms from now. */
async function awaitEnds(waits: (Promise<void> | undefined)[], forMs = 100): Promise<number[]> {
  const began = performance.now();
  const ends: number[] = [];
  for (const wait of waits) void wait?.then(() => ends.push(performance.now() - began));
  await vi.advanceTimersByTimeAsync(forMs);
  return ends;
}

describe('a tick', () => {
  test('does not exist while the event loop is idle', () => {
    expect(createFlushTick(() => 0).awaitTick()).toBeUndefined();
  });

  test('is shared by all that wait for it', async () => {
    const tick = createFlushTick(() => 1);
    expect(tick.awaitTick()).toBe(tick.awaitTick());
    const [first = 0, ...more] = await awaitEnds([tick.awaitTick(), tick.awaitTick()]);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(25);
    expect(more).toEqual([first]);
  });

  test('of an agent has the interval of the agent, and coincides with those of others', async () => {
    const tick = createFlushTick(() => 1);
    await vi.advanceTimersByTimeAsync(26 - (performance.now() % 50));
    const [shared, own] = await awaitEnds([tick.awaitTick(), tick.awaitTick(50)]);
    expect(shared).toBe(own);
  });

  test('follows each tick that is waited for', async () => {
    const tick = createFlushTick(() => 1);
    await awaitEnds([tick.awaitTick()]);
    expect(await awaitEnds([tick.awaitTick()])).toHaveLength(1);
  });
});

test('the interval grows with the load, from 0 to 25 ms', () => {
  const intervals = [0, 0.02, 0.04, 0.06, 0.1, 0.5, 1].map(chooseInterval);
  expect(intervals).toEqual(intervals.toSorted((one, other) => one - other));
  expect(intervals.at(0)).toBe(0);
  expect(intervals.at(-1)).toBe(25);
});
