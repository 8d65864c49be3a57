import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRecentRequests } from './recent-requests.ts';

afterEach(() => void vi.useRealTimers());

describe('a recent request', () => {
  test('is broken when its connection is lost, and not while it is served or when it is answered', async () => {
    const recent = createRecentRequests();
    const opened = await recent.open('print', 'run-1');
    expect([await recent.find('print'), await recent.findBroken('print')]).toEqual([{ value: 'run-1' }, undefined]);
    await opened.end('cut');
    expect(await recent.findBroken('print')).toEqual({ value: 'run-1' });
    const again = await recent.open('print', 'run-1');
    expect(await recent.findBroken('print')).toBeUndefined();
    await again.end('sent');
    expect([await recent.find('print'), await recent.findBroken('print')]).toEqual([{ value: 'run-1' }, undefined]);
    expect(await recent.findBroken('other')).toBeUndefined();
  });

  test('keeps the record of a later identical request', async () => {
    const recent = createRecentRequests();
    const first = await recent.open('print', 'run-1');
    const second = await recent.open('print', 'run-2');
    await second.end('cut');
    await first.end('sent');
    expect(await recent.findBroken('print')).toEqual({ value: 'run-2' });
  });

  test('is not broken by the late end of an earlier identical request after an answered repetition', async () => {
    const recent = createRecentRequests();
    const first = await recent.open('print', 'run-1');
    const repeated = await recent.open('print', 'run-1');
    await repeated.end('sent');
    await first.end('cut');
    expect(await recent.findBroken('print')).toBeUndefined();
  });

  test('is remembered for a minute after it broke, however long it was served', async () => {
    vi.useFakeTimers();
    const recent = createRecentRequests();
    const opened = await recent.open('print', 'run-1');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await recent.find('print')).toEqual({ value: 'run-1' });
    await opened.end('cut');
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await recent.findBroken('print')).toEqual({ value: 'run-1' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await recent.findBroken('print')).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(['findBroken', 'find'] as const)(
    'that failed is remembered for a minute, however often %s finds it',
    async (find) => {
      vi.useFakeTimers();
      const recent = createRecentRequests();
      const opened = await recent.open('print', 'run-1');
      await opened.end({ status: 500 });
      await vi.advanceTimersByTimeAsync(40_000);
      const found = await recent[find]('print');
      expect(found).toMatchObject({ value: 'run-1' });
      const again = await recent.open('print', 'run-1', found);
      await again.end({ status: 500 });
      expect(await recent.findBroken('print')).toMatchObject({ value: 'run-1' });
      await vi.advanceTimersByTimeAsync(21_000);
      expect(await recent.findBroken('print')).toBeUndefined();
    },
  );

  test('has a record of its own while an identical one is served', async () => {
    vi.useFakeTimers();
    const recent = createRecentRequests();
    const first = await recent.open('print', 'run-1');
    const second = await recent.open('print', 'run-2');
    await vi.advanceTimersByTimeAsync(100_000);
    await first.end('sent');
    await second.end('cut');
    expect(await recent.findBroken('print')).toEqual({ value: 'run-2' });
  });
});
