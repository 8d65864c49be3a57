// Calls of observed entries: nobody waits for them. Each entry has a queue of its own, since its state is with one call at a time; what
// comes while that is full is dropped. They outlive the run by a moment, and no longer.

/** Of one entry, beside the one that is under way. */
export const MAX_OBSERVED_WAITING = 64;
/** How long observers have after their run, ms. */
export const OBSERVED_WITHIN_MS = 1_000;

type Call = (signal: AbortSignal) => Promise<void>;

export type ObserverQueues = {
  /** false: it is dropped, the entry has too many waiting, or the run is over. */
  add(entry: string, call: Call): boolean;
  /** Takes nothing more. Resolves when all is done, or has been given up after so long: whether there was anything. */
  end(graceMs: number): Promise<boolean>;
};

export function createObserverQueues(): ObserverQueues {
  const giveUp = new AbortController();
  const waiting = new Map<string, number>();
  const last = new Map<string, Promise<void>>();
  let isOver = false;
  const callAfter = async (before: Promise<void> | undefined, entry: string, call: Call) => {
    await before;
    // Its own failures it has told of: nothing that is observed may break a run.
    await call(giveUp.signal).catch(() => undefined);
    waiting.set(entry, (waiting.get(entry) ?? 1) - 1);
  };
  return {
    add(entry, call) {
      const count = waiting.get(entry) ?? 0;
      if (isOver || count > MAX_OBSERVED_WAITING) return false;
      waiting.set(entry, count + 1);
      last.set(entry, callAfter(last.get(entry), entry, call));
      return true;
    },
    async end(graceMs) {
      isOver = true;
      if (last.size === 0) return false;
      const timer = setTimeout(() => giveUp.abort(), graceMs);
      await Promise.all(last.values());
      clearTimeout(timer);
      return true;
    },
  };
}
