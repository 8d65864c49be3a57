// Counts requests in a shared limiter without waiting for its answer while an account is far from its limit, because the
// round trip to Redis takes longer than the rest of the check. Every request is counted. If other replicas have used the
// rest of the limit, this one admits at most MAX_PENDING requests before it learns of it.
import { setImmediate } from 'node:timers/promises';
import { setBounded } from '@millrace/contracts';

/** State of an account after a count. */
export type CountedRequest = {
  /** Points of the window that were counted, also above the limit. */
  consumedPoints: number;
  remainingPoints: number;
  msBeforeNext: number;
};
type KnownCount = { consumed: number; until: number; pending: number };

/** Counts that are under way. */
const MAX_PENDING = 4;
/** An account that has used more of its limit waits for each count. */
const MAX_SHARE = 0.5;
/** Maximum number of accounts with a remembered state. */
const MAX_KNOWN = 10_000;

type CountAheadOptions = {
  limit: number;
  /** Counts one request. */
  count: (account: string) => Promise<CountedRequest>;
  onFailure: (error: unknown) => void;
  /** ms */
  now?: () => number;
};

export function createCountAhead({
  limit,
  count,
  onFailure,
  now = () => performance.now(),
}: CountAheadOptions): (account: string) => Promise<CountedRequest> {
  const known = new Map<string, KnownCount>();
  const remember = (account: string, { consumedPoints: consumed, msBeforeNext }: CountedRequest) => {
    const pending = known.get(account)?.pending ?? 0;
    setBounded(known, account, { consumed, until: now() + msBeforeNext, pending }, MAX_KNOWN);
  };
  const countAndRemember = async (account: string): Promise<CountedRequest> => {
    const counted = await count(account);
    remember(account, counted);
    return counted;
  };
  return async (account) => {
    const state = known.get(account);
    if (!state || state.until <= now() || state.pending >= MAX_PENDING) return countAndRemember(account);
    const consumedPoints = state.consumed + state.pending + 1;
    if (consumedPoints > limit * MAX_SHARE) return countAndRemember(account);
    state.pending += 1;
    const settle = () => {
      const current = known.get(account);
      if (current) current.pending = Math.max(0, current.pending - 1);
    };
    // The request continues first: sending a command takes time too.
    void setImmediate()
      .then(() => countAndRemember(account))
      .catch(onFailure)
      .finally(settle);
    return { consumedPoints, remainingPoints: limit - consumedPoints, msBeforeNext: state.until - now() };
  };
}
