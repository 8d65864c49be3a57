// Runs the orchestrator's end of a session against a correct replica and against one that sends arbitrary messages.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDrained, openCallerFlow, reduceCaller, type CallerEffect, type CallerEvent } from './caller-flow.ts';
import { SESSION_LIMITS } from './session.ts';

const TIMEOUT_MS = 5_000;

/** Runs events, and keeps the effects of each. */
function run(events: readonly CallerEvent[]) {
  let flow = openCallerFlow(0);
  const effects: CallerEffect[] = [];
  const inFlight: number[] = [];
  for (const event of events) {
    const step = reduceCaller(flow, event);
    flow = step.flow;
    effects.push(...step.effects);
    inFlight.push(flow.sent - flow.processed);
  }
  return { flow, effects, inFlight };
}

const count = fc.nat({ max: 3_000 });
const at = fc.nat({ max: 20_000 });
const anyEvent: fc.Arbitrary<CallerEvent> = fc.oneof(
  fc.record({ type: fc.constant('opened' as const), at }),
  fc.constant({ type: 'started' as const }),
  fc.record({ type: fc.constant('pushed' as const), count }),
  fc.constant({ type: 'end' as const }),
  fc.constant({ type: 'hurry' as const }),
  fc.record({ type: fc.constant('flush' as const), at }),
  fc.record({ type: fc.constant('posted' as const), batches: fc.nat({ max: 3 }), at }),
  fc.record({
    type: fc.constant('received' as const),
    sequence: fc.nat({ max: 5 }),
    processed: count,
    bytes: fc.nat({ max: 30 * 1024 * 1024 }),
    hasVerdicts: fc.boolean(),
    at,
  }),
  fc.record({
    type: fc.constant('verdicts' as const),
    count: fc.nat({ max: 3 }),
    served: fc.nat({ max: 3 }),
    isStop: fc.boolean(),
  }),
  fc.record({ type: fc.constant('tick' as const), at, timeoutMs: fc.constant(TIMEOUT_MS) }),
  fc.record({ type: fc.constant('pinged' as const), hasLeft: fc.boolean(), receivedAt: at }),
  fc.constant({ type: 'tell' as const }),
  fc.constant({ type: 'drop' as const }),
);

test('For all events the window holds, the end is sent once and after all chunks, and a session ends at most once', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const { flow, effects, inFlight } = run(events);
      expect(Math.max(0, ...inFlight)).toBeLessThanOrEqual(SESSION_LIMITS.windowChunks);
      const posts = effects.filter((effect) => effect.type === 'post');
      expect(posts.filter(({ end }) => end).length).toBeLessThanOrEqual(1);
      expect(posts.reduce((sum, post) => sum + post.count, 0)).toBe(flow.sent);
      const ends = effects.filter(({ type }) => type === 'lost' || type === 'concluded');
      expect(ends.length).toBeLessThanOrEqual(1);
      expect(ends.length === 0 || flow.phase === 'ended').toBe(true);
    }),
  );
});

test('an ended session ignores every event', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
      const { flow } = run([{ type: 'drop' }]);
      for (const event of events) expect(reduceCaller(flow, event)).toEqual({ flow, effects: [] });
    }),
  );
});

test('If the replica processes its input, all chunks are sent in order and the session concludes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      (pushes, step) => {
        let { flow } = run([{ type: 'opened', at: 0 }, { type: 'started' }]);
        let now = 0;
        let sent = 0;
        let endSent = false;
        const dispatch = (event: CallerEvent) => {
          const next = reduceCaller(flow, event);
          flow = next.flow;
          for (const effect of next.effects) {
            if (effect.type !== 'post' || (effect.count === 0 && !effect.end)) continue;
            expect(endSent).toBe(false);
            sent += effect.count;
            endSent ||= effect.end === true;
          }
          return next.effects;
        };
        for (const pushed of pushes) {
          dispatch({ type: 'pushed', count: pushed });
          dispatch({ type: 'flush', at: now });
        }
        dispatch({ type: 'end' });
        dispatch({ type: 'flush', at: now });
        const total = pushes.reduce((sum, pushed) => sum + pushed, 0);
        for (let sequence = 0; !(flow.isEndSent && isDrained(flow)); sequence += 1) {
          expect(sequence).toBeLessThan(10_000);
          now += 1;
          const processed = Math.min(flow.processed + step, flow.sent);
          dispatch({ type: 'received', sequence, processed, bytes: 10, hasVerdicts: false, at: now });
          dispatch({ type: 'flush', at: now });
          expect(dispatch({ type: 'tick', at: now, timeoutMs: TIMEOUT_MS }).some(({ type }) => type === 'lost')).toBe(
            false,
          );
        }
        expect(sent).toBe(total);
        expect(dispatch({ type: 'verdicts', count: 1, served: 1, isStop: false })).toEqual([{ type: 'concluded' }]);
      },
    ),
  );
});
