// Limits the concurrent checks of this orchestrator, because a check has no queue to wait in, and their duration.
import { MillraceError } from '@millrace/contracts';

export type CheckLimits = { maxChecks: number; maxChecksPerTenant: number };
/** Checks take about as long as their slowest guard. */
const RETRY_AFTER_MS = 500;

export type CheckPlaces = {
  /** Takes a place and returns the function that frees it. @throws too-many-requests with retryAfterMs */
  take(tenant: string): () => void;
};

export function createCheckPlaces({ maxChecks, maxChecksPerTenant }: CheckLimits): CheckPlaces {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(tenant) {
      const own = taken.get(tenant) ?? 0;
      if (own >= maxChecksPerTenant) throw createTooManyChecksError('MAX_CHECKS_PER_TENANT', maxChecksPerTenant);
      if (total >= maxChecks) throw createTooManyChecksError('MAX_CHECKS', maxChecks);
      taken.set(tenant, own + 1);
      total += 1;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        total -= 1;
        const left = (taken.get(tenant) ?? 1) - 1;
        if (left > 0) taken.set(tenant, left);
        else taken.delete(tenant);
      };
    },
  };
}

const createTooManyChecksError = (path: string, limit: number): MillraceError =>
  new MillraceError('too-many-requests', `The orchestrator judges ${limit} checks at most at the same time.`, {
    path,
    remedy: `Send the check again after ${RETRY_AFTER_MS} ms.`,
    retryAfterMs: RETRY_AFTER_MS,
  });

export type Deadline = {
  /** By the monotonic clock of this process. */
  at: number;
  signal: AbortSignal;
  end: () => void;
};

/** Ends a check, or the call of one processor or tool, after the timeout. */
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
