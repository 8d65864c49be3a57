// Runs one timer for the heartbeats of all sessions of a process, or of all of its calls.
import { toLoggedError } from '@millrace/contracts';
import type { BusLog } from '../connection/bus-log.ts';

export type Living = {
  /** @param now milliseconds of a clock that never jumps: performance.now() */
  sendHeartbeat(now: number): void;
};

export type Heartbeat = { stop(): void };

/**
 * Calls every current member of `listLiving` at each interval. An error of one is logged and does not affect the others.
 */
export function startHeartbeat(log: BusLog, intervalMs: number, listLiving: () => Iterable<Living>): Heartbeat {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // A stalled process must first read the messages that arrived during the stall before it detects silence.
    const hasPaused = now - last > 2 * intervalMs;
    last = now;
    if (hasPaused) return;
    for (const one of listLiving()) {
      try {
        one.sendHeartbeat(now);
      } catch (error) {
        log.error(toLoggedError(error), 'a heartbeat failed');
      }
    }
  }, intervalMs).unref();
  return { stop: () => clearInterval(timer) };
}
