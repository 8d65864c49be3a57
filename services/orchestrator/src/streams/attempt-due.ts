// Attempts entries of a store that are due. Every orchestrator polls; the one that writes the entry owns the attempt.

export type DueAttempts<T> = {
  /** Returns the entries that are due now, the most urgent first. */
  listDue: () => Iterable<T>;
  /** Identifies an entry: it has one attempt at a time. */
  getKey: (entry: T) => string;
  /** Returns true if the attempt may have made another entry due: the next poll follows at once. */
  attempt: (entry: T, stopping: AbortSignal) => Promise<boolean>;
  /** Receives the failure of an attempt. The entry is attempted again at a later poll. */
  onError: (error: unknown, entry: T) => void;
  pollEveryMs: number;
  /** Concurrent attempts; no limit by default. */
  maxAtOnce?: number;
};

/** Returns a function that stops: it aborts the attempts in progress and waits for them. */
export function startDueAttempts<T>(parts: DueAttempts<T>): () => Promise<void> {
  const { listDue, getKey, attempt, onError, pollEveryMs, maxAtOnce = Infinity } = parts;
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const begin = async (key: string, entry: T) => {
    const hasFreed = await attempt(entry, stopping.signal).catch((error: unknown) => {
      onError(error, entry);
      return false;
    });
    underWay.delete(key);
    if (hasFreed) poll();
  };
  const poll = () => {
    for (const entry of listDue()) {
      if (stopping.signal.aborted || underWay.size >= maxAtOnce) return;
      const key = getKey(entry);
      if (!underWay.has(key)) underWay.set(key, begin(key, entry));
    }
  };
  const timer = setInterval(poll, pollEveryMs);
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await Promise.all(underWay.values());
  };
}
