// Runs the replica's end of a session against a caller that sends arbitrary messages, and both ends against each other.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDrained, openCallerFlow, reduceCaller, type CallerEvent } from './caller-flow.ts';
import {
  openReplicaFlow,
  reduceReplica,
  type ReplicaEffect,
  type ReplicaEvent,
  type ReplicaFlow,
} from './replica-flow.ts';
import { SESSION_LIMITS } from './session.ts';

const at = fc.nat({ max: 20_000 });
const anyEvent: fc.Arbitrary<ReplicaEvent> = fc.oneof(
  fc.record({
    type: fc.constant('received' as const),
    sequence: fc.nat({ max: 4 }),
    count: fc.nat({ max: 1_500 }),
    isEnd: fc.boolean(),
    isStop: fc.boolean(),
    isDrop: fc.boolean(),
    at,
  }),
  fc.record({ type: fc.constant('progress' as const), processed: fc.nat({ max: 1_500 }) }),
  fc.constant({ type: 'finish' as const }),
  fc.record({ type: fc.constant('sent' as const), batches: fc.nat({ max: 3 }), processed: fc.nat({ max: 1_500 }), at }),
  fc.record({ type: fc.constant('tick' as const), at }),
  fc.constant({ type: 'closed' as const }),
);

test('a closed session performs nothing, and no more chunks are accepted than the window holds', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let flow: ReplicaFlow = openReplicaFlow(0);
      for (const event of events) {
        const before = flow;
        const step = reduceReplica(flow, event);
        flow = step.flow;
        const accepts = step.effects.some(({ type }) => type === 'accept');
        const isFull = flow.received - before.processed > SESSION_LIMITS.windowChunks;
        expect({ accepts: accepts && (isFull || before.phase === 'telling') }).toEqual({ accepts: false });
        expect(before.phase !== 'ended' || (flow === before && step.effects.length === 0)).toBe(true);
      }
    }),
  );
});

/** Messages in flight in both directions, in order. */
type Wire = { toReplica: ReplicaEvent[]; toCaller: CallerEvent[] };

/** Drives both ends, one message at a time, in the order that `picks` chooses. */
function playBoth(pushes: readonly number[], picks: readonly boolean[]) {
  let caller = openCallerFlow(0);
  let replica = openReplicaFlow(0);
  const wire: Wire = { toReplica: [], toCaller: [] };
  const log: string[] = [];
  const toCaller = (event: CallerEvent) => {
    const step = reduceCaller(caller, event);
    caller = step.flow;
    for (const effect of step.effects) {
      if (effect.type !== 'post') log.push(effect.type);
      else {
        const { count, end: isEnd = false, tell: isStop = false, drop: isDrop = false } = effect;
        wire.toReplica.push({
          type: 'received',
          sequence: caller.line.nextOut,
          count,
          isEnd,
          isStop,
          isDrop,
          at: 0,
        });
        toCaller({ type: 'posted', batches: 1, at: 0 });
      }
    }
  };
  const send = (hasVerdicts: boolean) => {
    const { processed } = replica;
    wire.toCaller.push({ type: 'received', sequence: replica.line.nextOut, processed, bytes: 1, hasVerdicts, at: 0 });
    toReplica({ type: 'sent', batches: 1, processed, at: 0 });
  };
  const perform = (effect: ReplicaEffect) => {
    if (effect.type === 'send') send(false);
    else if (effect.type === 'accept') toReplica({ type: 'progress', processed: replica.received });
    else if (effect.type === 'finish') {
      send(true);
      toReplica({ type: 'closed' });
    } else log.push(effect.type);
  };
  const toReplica = (event: ReplicaEvent) => {
    const step = reduceReplica(replica, event);
    replica = step.flow;
    step.effects.forEach(perform);
  };
  const deliver = (prefersReplica: boolean): boolean => {
    const isToReplica = wire.toCaller.length === 0 || (prefersReplica && wire.toReplica.length > 0);
    const event = isToReplica ? wire.toReplica.shift() : undefined;
    if (event) return (toReplica(event), true);
    const answer = wire.toCaller.shift();
    if (!answer || answer.type !== 'received') return false;
    toCaller(answer);
    if (answer.hasVerdicts) toCaller({ type: 'verdicts', count: 1, served: 1, isStop: false });
    else toCaller({ type: 'flush', at: 0 });
    return true;
  };
  toCaller({ type: 'opened', at: 0 });
  toCaller({ type: 'started' });
  for (const count of pushes) {
    toCaller({ type: 'pushed', count });
    toCaller({ type: 'flush', at: 0 });
  }
  toCaller({ type: 'end' });
  toCaller({ type: 'flush', at: 0 });
  let turns = 0;
  while (turns < 10_000 && deliver(picks[turns % Math.max(picks.length, 1)] ?? true)) turns += 1;
  return { caller, replica, log };
}

test('Both ends agree: for every order of their messages, all chunks are processed and the session concludes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 10 }),
      fc.array(fc.boolean(), { maxLength: 20 }),
      (pushes, picks) => {
        const { caller, replica, log } = playBoth(pushes, picks);
        const total = pushes.reduce((sum, count) => sum + count, 0);
        expect(log).toEqual(['concluded']);
        expect({ sent: caller.sent, received: replica.received }).toEqual({ sent: total, received: total });
        expect(isDrained(caller)).toBe(true);
        expect([caller.phase, replica.phase]).toEqual(['ended', 'ended']);
      },
    ),
  );
});
