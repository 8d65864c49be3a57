// Ends a check, or the call of one processor or tool, at its deadline.

export type Deadline = {
  /** By the monotonic clock of this process. */
  at: number;
  signal: AbortSignal;
  end: () => void;
};

export function startDeadline(timeoutMs: number): Deadline {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort('deadline'), timeoutMs);
  // The end stops the texts that are still being judged when another one has thrown.
  const end = () => {
    clearTimeout(timer);
    stop.abort('deadline');
  };
  return { at: performance.now() + timeoutMs, signal: stop.signal, end };
}
