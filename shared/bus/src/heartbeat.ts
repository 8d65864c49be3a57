// One timer for the signs of life of many: of all sessions of a process, of all calls that it works on.
import { loggedError } from '@millrace/contracts';
import type { BusLog } from './bus-log.ts';

export type Living = {
  /** @param now milliseconds of a clock that never jumps: performance.now() */
  heartbeat(now: number): void;
};

export type Heartbeat = { stop(): void };

/** Tells everyone in `living`, each time anew, every `intervalMs`. What one of them throws is logged and costs nobody else anything. */
export function startHeartbeat(log: BusLog, intervalMs: number, living: () => Iterable<Living>): Heartbeat {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // A process that stood still itself must first read what has come since, before it calls anybody silent.
    const stoodStill = now - last > 2 * intervalMs;
    last = now;
    if (stoodStill) return;
    for (const one of living()) {
      try {
        one.heartbeat(now);
      } catch (error) {
        log.error(loggedError(error), 'a heartbeat failed');
      }
    }
  }, intervalMs).unref();
  return { stop: () => clearInterval(timer) };
}
