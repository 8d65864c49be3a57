// Limits the concurrent checks of this orchestrator, because a check has no queue to wait in, and their duration.
import { MillraceError, createPlaces, type RunParty } from '@millrace/contracts';

export type CheckLimits = { maxChecks: number; maxChecksPerTenant: number };
/** Checks take about as long as their slowest guard. */
const RETRY_AFTER_MS = 500;

export type CheckPlaces = {
  /** Takes a place and returns the function that frees it. @throws too-many-requests with retryAfterMs */
  take(party: RunParty): () => void;
};

/** The part of the places that callers without a check have on top, so that one caller does not take all of its tenant's. */
const SHARE = 1 / 8;

export function createCheckPlaces({ maxChecks, maxChecksPerTenant }: CheckLimits): CheckPlaces {
  const openPlace = createPlaces({ all: maxChecks, share: SHARE });
  return {
    take({ tenant, caller }) {
      const place = openPlace({ account: tenant, party: `${tenant}.${caller}`, most: maxChecksPerTenant });
      const full = place.grow(1);
      if (full === 'account') throw createTooManyChecksError('MAX_CHECKS_PER_TENANT', maxChecksPerTenant);
      if (full) throw createTooManyChecksError('MAX_CHECKS', maxChecks);
      return place.free;
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
