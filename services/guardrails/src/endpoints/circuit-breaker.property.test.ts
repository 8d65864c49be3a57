import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitCall, CLOSED, reduceBreaker, type BreakerEvent, type BreakerState } from './circuit-breaker.ts';

const limits = { failures: 3, openMs: 100 };
const fold = (events: readonly BreakerEvent[], from: BreakerState = CLOSED) =>
  events.reduce((breaker, event) => reduceBreaker(breaker, event, limits), from);
const makeFailure = (nowMs: number, isProbe = false): BreakerEvent => ({ type: 'failed', isProbe, nowMs });
const open = fold([makeFailure(1), makeFailure(2), makeFailure(3)]);

describe('the circuit breaker', () => {
  test('consecutive failures open it, and a success in between starts the count again', () => {
    expect(fold([makeFailure(1), makeFailure(2)])).toEqual({ state: 'closed', failures: 2 });
    expect(fold([makeFailure(1), makeFailure(2), { type: 'succeeded', isProbe: false }, makeFailure(3)])).toEqual({
      state: 'closed',
      failures: 1,
    });
    expect(open).toEqual({ state: 'open', untilMs: 103 });
  });
  test('refuses calls until the delay is over, then admits one probe', () => {
    expect(admitCall(open, 102)).toBe('refuse');
    expect(admitCall(open, 103)).toBe('probe');
    const probing = fold([{ type: 'asked', nowMs: 103 }], open);
    expect(probing).toEqual({ state: 'half-open' });
    expect(admitCall(probing, 10_000)).toBe('refuse');
  });
  test('the probe closes it, opens it again, or leaves it to the next call', () => {
    const probing: BreakerState = { state: 'half-open' };
    expect(fold([{ type: 'succeeded', isProbe: true }], probing)).toEqual(CLOSED);
    expect(fold([makeFailure(200, true)], probing)).toEqual({ state: 'open', untilMs: 300 });
    const abandoned = fold([{ type: 'abandoned', isProbe: true, nowMs: 200 }], probing);
    expect(admitCall(abandoned, 200)).toBe('probe');
  });
});

/** A call that was admitted and has not ended. */
type PendingCall = { isProbe: boolean };
const outcomes = fc.record({
  waitMs: fc.integer({ min: 0, max: 150 }),
  action: fc.constantFrom('ask', 'succeed', 'fail', 'abandon'),
  pick: fc.nat(),
});

test('in any order of calls and outcomes at most one probe is pending, and an open breaker admits nothing before its delay', () => {
  fc.assert(
    fc.property(fc.array(outcomes, { maxLength: 80 }), (steps) => {
      let nowMs = 0;
      let breaker = CLOSED;
      const pending: PendingCall[] = [];
      const early: string[] = [];
      for (const { waitMs, action, pick } of steps) {
        nowMs += waitMs;
        if (action === 'ask') {
          const admitted = admitCall(breaker, nowMs);
          const isTooEarly = breaker.state === 'open' && nowMs < breaker.untilMs;
          if (isTooEarly) early.push(admitted);
          breaker = reduceBreaker(breaker, { type: 'asked', nowMs }, limits);
          if (admitted !== 'refuse') pending.push({ isProbe: admitted === 'probe' });
        } else {
          const [call] = pending.splice(pick % Math.max(1, pending.length), 1);
          if (!call) continue;
          const type = { succeed: 'succeeded', fail: 'failed', abandon: 'abandoned' } as const;
          breaker = reduceBreaker(breaker, { type: type[action], isProbe: call.isProbe, nowMs }, limits);
        }
        const probes = pending.filter(({ isProbe }) => isProbe).length;
        expect(probes).toBe(breaker.state === 'half-open' ? 1 : 0);
        const count = breaker.state === 'closed' ? breaker.failures : 0;
        const delayMs = breaker.state === 'open' ? breaker.untilMs - nowMs : 0;
        expect(count).toBeLessThan(limits.failures);
        expect(delayMs).toBeLessThanOrEqual(limits.openMs);
      }
      expect(early.filter((admitted) => admitted !== 'refuse')).toEqual([]);
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
});
