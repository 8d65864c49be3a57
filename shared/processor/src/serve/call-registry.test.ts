import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallRegistry } from './call-registry.ts';

/** The owner of the call. */
const RUN = { tenant: 'default', runId: 'run-1', epoch: 1 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('Only the signal of the cancelled call fires', () => {
  const calls = createCallRegistry();
  const [one, two] = [calls.open('one', 1_000, RUN), calls.open('two', 1_000, RUN)];
  calls.cancel(['one', 'unknown']);
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, false]);
});

test('The signal of a call fires at its timeout, with that reason', () => {
  const { signal } = createCallRegistry().open('one', 1_000, RUN);
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ message: 'the call took more than 1000 ms' });
});

test('The signal of a closed call does not fire', async () => {
  const calls = createCallRegistry();
  const { signal, close } = calls.open('one', 1_000, RUN);
  close();
  calls.cancel(['one']);
  vi.advanceTimersByTime(10_000);
  expect(signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('A repeated call of the same run can be cancelled after the first one is closed', async () => {
  const calls = createCallRegistry();
  const first = calls.open('one', 1_000, RUN);
  const second = calls.open('one', 1_000, RUN);
  first.close();
  calls.cancel(['one']);
  expect(second.signal.aborted).toBe(true);
});

test('A deadline in months does not fire at once', () => {
  const { signal } = createCallRegistry().open('one', 365 * 24 * 3_600_000, RUN);
  vi.advanceTimersByTime(1_000);
  expect(signal.aborted).toBe(false);
});

test('A call id belongs to one run: another run with the id is rejected and cannot cancel the call', () => {
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

test('A replica accepts its maximum number of concurrent calls, and another one after a call ended', () => {
  const calls = createCallRegistry(2);
  calls.open('one', 1_000, RUN);
  const second = calls.open('two', 1_000, RUN);
  expect(() => calls.open('three', 1_000, RUN)).toThrow(expect.objectContaining({ code: 'replica-busy' }));
  second.close();
  second.close();
  calls.open('three', 1_000, RUN);
  expect(() => calls.open('four', 1_000, RUN)).toThrow(expect.objectContaining({ code: 'replica-busy' }));
});

test('Calls are counted by endpoint; a call above the limit is rejected with the replica’s name and a retry delay', () => {
  const calls = createCallRegistry(2, 'r1');
  const one = calls.open('one', 1_000, RUN, 'processInput-pii');
  calls.open('two', 1_000, RUN, 'processOutputStream-pii');
  expect([calls.countDepth('processInput-pii'), calls.countDepth('processOutputStream-pii')]).toEqual([1, 1]);
  expect(() => calls.open('three', 1_000, RUN, 'processInput-pii')).toThrow(
    expect.objectContaining({ code: 'replica-busy', path: 'r1', retryAfterMs: 100 }),
  );
  one.close();
  one.close();
  expect([calls.countDepth('processInput-pii'), calls.countDepth('processOutputStream-pii')]).toEqual([0, 1]);
  calls.open('three', 1_000, RUN, 'processInput-pii');
});
