// The moments at which pieces of the models' texts leave, shared by all runs of the process: the pieces of one tick leave in one write.
// While the event loop is idle there is no tick, and pieces leave at once. Under load a tick saves most of a piece's cost, because the
// chunks of all runs pass processors, sockets and clients together.

/** Milliseconds between two ticks, by the share of time in which the event loop was busy. */
const INTERVALS: readonly { above: number; ms: number }[] = [
  { above: 0.05, ms: 25 },
  { above: 0.03, ms: 15 },
  { above: 0.02, ms: 10 },
];
/** The event loop is measured over at least this time, ms. */
const WINDOW_MS = 100;

export type FlushTick = {
  /**
   * Resolves at the next tick. undefined: no wait.
   * @param everyMs in place of the interval that follows the load
   */
  awaitTick(everyMs?: number): Promise<void> | undefined;
};

/** @param readBusyShare the share of time, 0 to 1, in which the event loop was busy of late */
export function createFlushTick(readBusyShare: () => number = watchLoop()): FlushTick {
  const ticks = new Map<number, Promise<void>>();
  return {
    awaitTick(everyMs = chooseInterval(readBusyShare())) {
      if (everyMs === 0) return undefined;
      const pending = ticks.get(everyMs);
      if (pending) return pending;
      const { promise, resolve } = Promise.withResolvers<void>();
      ticks.set(everyMs, promise);
      // Ticks lie at multiples of their interval, so that ticks of 25 and of 50 ms coincide.
      const timer = setTimeout(
        () => {
          ticks.delete(everyMs);
          resolve();
        },
        everyMs - (performance.now() % everyMs),
      );
      timer.unref();
      return promise;
    },
  };
}

export const chooseInterval = (busyShare: number): number => INTERVALS.find(({ above }) => busyShare > above)?.ms ?? 0;

function watchLoop(): () => number {
  let last = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let share = 0;
  return () => {
    const now = performance.now();
    if (now - lastAt < WINDOW_MS) return share;
    const current = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(current, last).utilization;
    last = current;
    lastAt = now;
    return share;
  };
}
