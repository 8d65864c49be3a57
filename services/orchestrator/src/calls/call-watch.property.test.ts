import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CHECK_AFTER_MS,
  needsReplica,
  readCheckDelay,
  reduceCallWatch,
  startCallWatch,
  type CallWatchEvent,
  type CallWatchState,
  type Presence,
  type Progress,
} from './call-watch.ts';

/** A progress message after `count` verdicts; without a count it reports none. */
const progress = (count?: number, replica?: string): Progress => ({
  progress: [],
  sequence: 1,
  ...(replica !== undefined && { replica }),
  ...(count !== undefined && {
    judged: { verdicts: Array.from({ length: count }, () => ({ type: 'continue' as const })), ms: [] },
  }),
});
const start = (limits: number[], isLastTry = false): CallWatchState =>
  startCallWatch(limits, { isLastTry, replica: undefined, now: 0 });
const hear = (now: number, count?: number, replica?: string): CallWatchEvent => ({
  event: 'received',
  progress: progress(count, replica),
  now,
});
const look = (now: number, presence: Presence = 'present', isReconnected = false): CallWatchEvent => ({
  event: 'checked',
  presence,
  isReconnected,
  now,
});
const reduceAll = (watch: CallWatchState, events: readonly CallWatchEvent[]): CallWatchState =>
  events.reduce(reduceCallWatch, watch);

const limitsArbitrary = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 6 });
const presenceArbitrary = fc.constantFrom<Presence>('present', 'absent', 'silent');
/** Events in the order of their times. */
const eventsArbitrary = fc
  .array(
    fc.record({
      after: fc.integer({ min: 0, max: 3_000 }),
      kind: fc.constantFrom('received', 'checked', 'given-up', 'answered'),
      count: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
      presence: presenceArbitrary,
      isReconnected: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((steps) => {
    let now = 0;
    return steps.map(({ after, kind, count, presence, isReconnected }): CallWatchEvent => {
      now += after;
      if (kind === 'received') return hear(now, count);
      if (kind === 'checked') return look(now, presence, isReconnected);
      return { event: kind === 'answered' ? 'answered' : 'given-up' };
    });
  });

describe('a watch of a call', () => {
  test('that has ended never changes', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.boolean(), eventsArbitrary, (limits, isLastTry, events) => {
        let watch = start(limits, isLastTry);
        for (const event of events) {
          const next = reduceCallWatch(watch, event);
          expect(watch.state === 'watching' || next === watch).toBe(true);
          watch = next;
        }
        expect(readCheckDelay(watch, 1e9) === undefined).toBe(watch.state !== 'watching');
      }),
    );
  });

  test('has a failure exactly if it abandons the request itself', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.boolean(), eventsArbitrary, (limits, isLastTry, events) => {
        const watch = reduceAll(start(limits, isLastTry), events);
        expect('failure' in watch).toBe(['late', 'lost', 'silent'].includes(watch.state));
      }),
    );
  });

  test('never abandons a replica that sends a message within a second and a verdict within the time of its member', () => {
    const shares = fc.array(fc.double({ min: 0, max: 0.99, noNaN: true }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(
        limitsArbitrary,
        shares,
        presenceArbitrary,
        fc.boolean(),
        (limits, parts, presence, isReconnected) => {
          let now = 0;
          let watch = reduceCallWatch(start(limits), hear(0, 0, 'replica-1'));
          for (const [at, limit] of limits.entries()) {
            const judgedAt = now + limit * (parts[at] ?? 0);
            for (; now + 900 < judgedAt; now += 900)
              watch = reduceAll(watch, [look(now + 899, presence, isReconnected), hear(now + 900, at)]);
            now = judgedAt;
            watch = reduceCallWatch(watch, hear(now, at + 1));
            expect(watch.state).toBe('watching');
          }
        },
      ),
    );
  });

  test('abandons a member of a group when its own time is over, and keeps the verdicts before it', () => {
    const watch = reduceAll(start([500, 2_000, 300]), [hear(10, 0, 'r'), hear(400, 1), look(2_399)]);
    expect(watch.state).toBe('watching');
    expect(readCheckDelay(watch, 2_300)).toBe(100);
    expect(reduceCallWatch(watch, look(2_400))).toMatchObject({
      state: 'late',
      replica: 'r',
      judged: { verdicts: [{ type: 'continue' }] },
      failure: { code: 'timeout', message: 'It returned no verdict within 2000 ms.' },
    });
  });

  test('gives a group the time of its slowest member if the replica reports no verdicts', () => {
    const watch = reduceCallWatch(start([500, 2_000]), hear(100));
    expect(reduceCallWatch(watch, look(1_999)).state).toBe('watching');
    expect(reduceCallWatch(watch, look(2_000)).state).toBe('late');
  });

  test('leaves the time of a single member to its request', () => {
    expect(reduceCallWatch(start([500]), look(60_000)).state).toBe('watching');
    expect(readCheckDelay(start([500]), 499)).toBe(CHECK_AFTER_MS);
  });

  test.each<[Presence, string]>([
    ['absent', 'lost'],
    ['silent', 'silent'],
    ['present', 'watching'],
  ])('with a replica that is %s is %s after a second without a message, and not before', (presence, state) => {
    expect(reduceCallWatch(start([60_000]), look(CHECK_AFTER_MS - 1, presence)).state).toBe('watching');
    expect(reduceCallWatch(start([60_000]), look(CHECK_AFTER_MS, presence)).state).toBe(state);
  });

  test('abandons the last attempt only if the replica is absent', () => {
    fc.assert(
      fc.property(presenceArbitrary, fc.array(fc.boolean(), { maxLength: 5 }), (presence, reconnections) => {
        const looks = reconnections.map((isReconnected, at) => look((at + 1) * 5_000, presence, isReconnected));
        const watch = reduceAll(start([60_000], true), looks);
        expect(watch.state).toBe(presence === 'absent' && looks.length > 0 ? 'lost' : 'watching');
      }),
    );
  });

  test('waits a second for a message over the new connection, once', () => {
    const renewed = reduceCallWatch(start([60_000]), look(2_000, 'present', true));
    expect(reduceCallWatch(renewed, look(2_999, 'present', true)).state).toBe('watching');
    expect(reduceCallWatch(renewed, look(3_000, 'present', true))).toMatchObject({
      state: 'lost',
      failure: { message: 'The connection to NATS broke, and the answer was lost.' },
    });
    const heard = reduceCallWatch(renewed, hear(2_900));
    expect(reduceCallWatch(heard, look(3_500, 'present', true)).state).toBe('watching');
  });

  test('looks for its replica only if the request is quiet, not late, and not answered', () => {
    const group = start([500, 600]);
    expect([999, 1_000].map((now) => needsReplica(start([60_000]), now))).toEqual([false, true]);
    expect(needsReplica(group, 1_000)).toBe(false);
    expect(needsReplica(reduceCallWatch(start([60_000]), { event: 'answered' }), 5_000)).toBe(false);
  });
});
