import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startHeartbeat, type Living } from './heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const errors: string[] = [];
const log = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) };

test('A heartbeat calls all current members until it is stopped', () => {
  const told: string[] = [];
  const living = new Map<string, Living>();
  const heartbeat = startHeartbeat(log, 100, () => living.values());
  living.set('a', { sendHeartbeat: () => void told.push('a') });
  vi.advanceTimersByTime(100);
  living.set('b', { sendHeartbeat: () => void told.push('b') });
  vi.advanceTimersByTime(100);
  expect(told).toEqual(['a', 'a', 'b']);
  heartbeat.stop();
  vi.advanceTimersByTime(1_000);
  expect(told).toHaveLength(3);
});

test('A member that throws is logged, and the others are called too', () => {
  const told: string[] = [];
  const broken: Living = {
    sendHeartbeat() {
      throw new Error('broken');
    },
  };
  const heartbeat = startHeartbeat(log, 100, () => [broken, { sendHeartbeat: () => void told.push('b') }]);
  vi.advanceTimersByTime(200);
  expect(told).toEqual(['b', 'b']);
  expect(errors).toEqual(['a heartbeat failed', 'a heartbeat failed']);
  heartbeat.stop();
});

test('A stalled process detects no silent member at its first heartbeat after the stall', () => {
  const told: number[] = [];
  const heartbeat = startHeartbeat(log, 100, () => [{ sendHeartbeat: (now) => void told.push(now) }]);
  vi.advanceTimersByTime(100);
  const stood = performance.now() + 5_000;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(stood);
  vi.advanceTimersByTime(100);
  expect(told).toHaveLength(1);
  clock.mockReturnValue(stood + 100);
  vi.advanceTimersByTime(100);
  expect(told).toHaveLength(2);
  clock.mockRestore();
  heartbeat.stop();
});
