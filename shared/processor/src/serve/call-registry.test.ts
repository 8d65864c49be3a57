import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallRegistry } from './call-registry.ts';

/** Who asks. */
const RUN = { tenant: 'default', runId: 'run-1', epoch: 1 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the signal of a call fires when it is cancelled, and no other does', () => {
  const calls = createCallRegistry();
  const [one, two] = [calls.open('one', 1_000, RUN), calls.open('two', 1_000, RUN)];
  calls.cancel(['one', 'unknown']);
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, false]);
});

test('the signal of a call fires when the time is up, with that reason', () => {
  const { signal } = createCallRegistry().open('one', 1_000, RUN);
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ message: 'the call took more than 1000 ms' });
});

test('the signal of a call does not fire once the call is closed', async () => {
  const calls = createCallRegistry();
  const { signal, close } = calls.open('one', 1_000, RUN);
  close();
  calls.cancel(['one']);
  vi.advanceTimersByTime(10_000);
  expect(signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('a repeated call of the same run can still be cancelled when the first is closed', async () => {
  const calls = createCallRegistry();
  const first = calls.open('one', 1_000, RUN);
  const second = calls.open('one', 1_000, RUN);
  first.close();
  calls.cancel(['one']);
  expect(second.signal.aborted).toBe(true);
});

test('a deadline that is months away does not fire at once', () => {
  const { signal } = createCallRegistry().open('one', 365 * 24 * 3_600_000, RUN);
  vi.advanceTimersByTime(1_000);
  expect(signal.aborted).toBe(false);
});

test('a call id is that of one run: another run under it is refused, and cannot be cancelled with it', () => {
  const calls = createCallRegistry();
  const first = calls.open('one', 1_000, RUN);
  for (const other of [{ tenant: 'acme' }, { runId: 'run-2' }, { epoch: 2 }]) {
    expect(() => calls.open('one', 1_000, { ...RUN, ...other })).toThrow(
      expect.objectContaining({ code: 'message-invalid', path: 'callId' }),
    );
  }
  first.close();
  expect(calls.open('one', 1_000, { ...RUN, runId: 'run-2' }).signal.aborted).toBe(false);
});

test('a replica takes so many calls at once, and takes the next one when one is over', () => {
  const calls = createCallRegistry(2);
  calls.open('one', 1_000, RUN);
  const second = calls.open('two', 1_000, RUN);
  expect(() => calls.open('three', 1_000, RUN)).toThrow(expect.objectContaining({ code: 'replica-busy' }));
  second.close();
  second.close();
  calls.open('three', 1_000, RUN);
  expect(() => calls.open('four', 1_000, RUN)).toThrow(expect.objectContaining({ code: 'replica-busy' }));
});

test('calls are counted by their endpoint; what is over the limit is refused by the replica’s name, with when to come back', () => {
  const calls = createCallRegistry(2, 'r1');
  const one = calls.open('one', 1_000, RUN, 'processInput-pii');
  calls.open('two', 1_000, RUN, 'processOutputStream-pii');
  expect([calls.depth('processInput-pii'), calls.depth('processOutputStream-pii')]).toEqual([1, 1]);
  expect(() => calls.open('three', 1_000, RUN, 'processInput-pii')).toThrow(
    expect.objectContaining({ code: 'replica-busy', path: 'r1', retryAfterMs: 100 }),
  );
  one.close();
  one.close();
  expect([calls.depth('processInput-pii'), calls.depth('processOutputStream-pii')]).toEqual([0, 1]);
  calls.open('three', 1_000, RUN, 'processInput-pii');
});
