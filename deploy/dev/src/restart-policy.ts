// Decides when a crashed process restarts: after a delay that grows with its deaths in the last minute, and not at all
// after too many of them, because a restart cannot help then.

export type RestartPolicy = {
  /** The pause before the first restart; it doubles with every death in the window. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** At so many deaths within `windowMs` it stays down. */
  maxDeaths: number;
  windowMs: number;
};

export const DEFAULT_RESTART_POLICY: RestartPolicy = {
  firstDelayMs: 250,
  maxDelayMs: 5_000,
  maxDeaths: 5,
  windowMs: 60_000,
};

export type Restarts = {
  /** Counts a death; gives the pause before the next start, or undefined when there is to be none. */
  nextRestartDelay(): number | undefined;
};

export function createRestarts({ firstDelayMs, maxDelayMs, maxDeaths, windowMs }: RestartPolicy): Restarts {
  const deaths: number[] = [];
  return {
    nextRestartDelay() {
      const now = performance.now();
      deaths.push(now);
      while ((deaths[0] ?? now) < now - windowMs) deaths.shift();
      if (deaths.length >= maxDeaths) return undefined;
      return Math.min(firstDelayMs * 2 ** (deaths.length - 1), maxDelayMs);
    },
  };
}
