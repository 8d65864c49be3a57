// Queues calls of observed entries; the run does not wait for them. Each entry has a queue of its own, because its
// state is with one call at a time; a call is dropped if the queue is full. Observers may finish shortly after the run.

/** Per entry, without the call in progress. */
export const MAX_OBSERVED_WAITING = 64;
/** Time that observers have after their run, ms. */
export const OBSERVED_WITHIN_MS = 1_000;

type ObserverCall = (signal: AbortSignal) => Promise<void>;

export type ObserverQueues = {
  /** Returns false if the call is dropped: the entry has too many waiting calls, or the run has ended. */
  add(entry: string, call: ObserverCall): boolean;
  /**
   * Accepts no more calls. Resolves when all calls have ended or were abandoned after `graceMs`; returns whether there
   * were any.
   */
  end(graceMs: number): Promise<boolean>;
};

export function createObserverQueues(): ObserverQueues {
  const giveUp = new AbortController();
  const waiting = new Map<string, number>();
  const last = new Map<string, Promise<void>>();
  let isOver = false;
  const callAfter = async (before: Promise<void> | undefined, entry: string, call: ObserverCall) => {
    await before;
    // The call reports its own failures: an observed entry must not break a run.
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
