// Every sequence of answers of a peer, with any number of reconnections of this process.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONNECTED_MS, SUSPECTED_MS, present, reducePeer, type PeerEvent, type PeerState } from './peer-state.ts';

const answer = fc.constantFrom('answered' as const, 'silent' as const, 'no-responders' as const);
const moment = fc.record({ answer, afterMs: fc.integer({ min: 1, max: 1_500 }), reconnects: fc.boolean() });

/** The events as the driver makes them: the clock only advances, and a reconnection is before the answer. */
function makeEvents(
  moments: readonly { answer: PeerEvent['answer']; afterMs: number; reconnects: boolean }[],
): PeerEvent[] {
  let [at, connectedAt] = [0, 0];
  return moments.map(({ afterMs, reconnects, answer: given }) => {
    at += afterMs;
    if (reconnects) connectedAt = at - 1;
    return { answer: given, at, connectedAt };
  });
}

const listPhases = (events: readonly PeerEvent[]): PeerState[] => {
  let state = present;
  return events.map((event) => (state = reducePeer(state, event)));
};

test('a peer has left only after two answers without responders, a second apart, over a connection of three seconds', () => {
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 40 }), (moments) => {
      const events = makeEvents(moments);
      const leftAt = listPhases(events).findIndex(({ phase }) => phase === 'left');
      const last = events[leftAt];
      if (!last) return;
      const reversed = events.slice(0, leftAt + 1).toReversed();
      const other = reversed.findIndex((event) => event.answer !== 'no-responders' || event.at < last.connectedAt);
      const inARow = other < 0 ? reversed : reversed.slice(0, other);
      const first = inARow.at(-1);
      expect(inARow.length).toBeGreaterThanOrEqual(2);
      expect(last.at - (first?.at ?? last.at)).toBeGreaterThanOrEqual(SUSPECTED_MS);
      expect(last.at - last.connectedAt).toBeGreaterThanOrEqual(CONNECTED_MS);
    }),
  );
});

test('a peer without responders is detected within one question after both times have passed, whatever it answered before', () => {
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 20 }), fc.integer({ min: 100, max: 900 }), (moments, everyMs) => {
      const before = makeEvents(moments);
      const [at, connectedAt] = [before.at(-1)?.at ?? 0, before.at(-1)?.connectedAt ?? 0];
      const questions = Math.ceil((CONNECTED_MS + SUSPECTED_MS) / everyMs) + 2;
      const killed = Array.from({ length: questions }, (_, n) => ({
        answer: 'no-responders' as const,
        at: at + (n + 1) * everyMs,
        connectedAt,
      }));
      expect(listPhases([...before, ...killed]).at(-1)?.phase).toBe('left');
    }),
  );
});

test('a stopped peer is never reported as lost, because its connection still subscribes', () => {
  const silent = Array.from({ length: 100 }, (_, n) => ({
    answer: 'silent' as const,
    at: 10_000 + n * 1_000,
    connectedAt: 0,
  }));
  expect(listPhases(silent).every(({ phase }) => phase === 'present')).toBe(true);
});
