import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallRegistry } from './call-registry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a signal fires when its call is cancelled, and no other does', () => {
  const calls = createCallRegistry();
  const [one, two] = [calls.open('one', 1_000), calls.open('two', 1_000)];
  calls.cancel(['one', 'unknown']);
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, false]);
});

test('it fires when the time is up, and says so', () => {
  const { signal } = createCallRegistry().open('one', 1_000);
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ message: 'the call took more than 1000 ms' });
});

test('it does not fire once the call is closed', async () => {
  const calls = createCallRegistry();
  const { signal, close } = calls.open('one', 1_000);
  close();
  calls.cancel(['one']);
  vi.advanceTimersByTime(10_000);
  expect(signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('a second call of the same id can still be cancelled when the first is closed', async () => {
  const calls = createCallRegistry();
  const first = calls.open('one', 1_000);
  const second = calls.open('one', 1_000);
  first.close();
  calls.cancel(['one']);
  expect(second.signal.aborted).toBe(true);
});

test('a deadline that is months away does not fire at once', () => {
  const { signal } = createCallRegistry().open('one', 365 * 24 * 3_600_000);
  vi.advanceTimersByTime(1_000);
  expect(signal.aborted).toBe(false);
});
