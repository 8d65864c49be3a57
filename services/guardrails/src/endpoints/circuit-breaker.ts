// Circuit breaker of an endpoint: after repeated failures calls fail at once, so that an endpoint that is down costs no
// timeouts; after a delay one call tests it. A pure reducer.
export type BreakerState =
  | { state: 'closed'; failures: number }
  | { state: 'open'; untilMs: number }
  | { state: 'half-open' };

/** `isProbe`: the call was admitted by a half-open breaker. Only its outcome ends that state. */
export type BreakerEvent =
  | { type: 'asked'; nowMs: number }
  | { type: 'succeeded'; isProbe: boolean }
  | { type: 'failed'; isProbe: boolean; nowMs: number }
  | { type: 'abandoned'; isProbe: boolean; nowMs: number };

/** `failures`: consecutive failures that open the breaker. `openMs`: delay before a test call. */
export type BreakerLimits = { failures: number; openMs: number };

export const CLOSED: BreakerState = { state: 'closed', failures: 0 };

/** Decides before the event `asked`, which then moves an open breaker to half-open. */
export function admitCall(breaker: BreakerState, nowMs: number): 'call' | 'probe' | 'refuse' {
  switch (breaker.state) {
    case 'closed':
      return 'call';
    case 'open':
      return nowMs >= breaker.untilMs ? 'probe' : 'refuse';
    case 'half-open':
      return 'refuse';
  }
}

export function reduceBreaker(breaker: BreakerState, event: BreakerEvent, limits: BreakerLimits): BreakerState {
  switch (event.type) {
    case 'asked':
      return admitCall(breaker, event.nowMs) === 'probe' ? { state: 'half-open' } : breaker;
    case 'succeeded':
      return isDecisive(breaker, event.isProbe) ? CLOSED : breaker;
    case 'failed':
      return isDecisive(breaker, event.isProbe) ? countFailure(breaker, event.nowMs, limits) : breaker;
    case 'abandoned':
      // A call that its run cancelled proves nothing: the next call is the test.
      return breaker.state === 'half-open' && event.isProbe ? { state: 'open', untilMs: event.nowMs } : breaker;
  }
}

/** Ignores the outcome of a call that an earlier state admitted. */
const isDecisive = (breaker: BreakerState, isProbe: boolean): boolean =>
  breaker.state === (isProbe ? 'half-open' : 'closed');

function countFailure(breaker: BreakerState, nowMs: number, { failures, openMs }: BreakerLimits): BreakerState {
  const count = breaker.state === 'closed' ? breaker.failures + 1 : failures;
  return count >= failures ? { state: 'open', untilMs: nowMs + openMs } : { state: 'closed', failures: count };
}
