// The turns of a chat: an action changes its own turn only.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBusy, reduceTurns, type Turn, type TurnAction } from './chat-turns.ts';

const key = fc.constantFrom('a', 'b', 'c');
const end = fc
  .constantFrom('finished', 'suspended', 'aborted', 'failed', 'cancelled')
  .map((status) => ({ runId: 'r', status, finishReason: 'stop', usage: {} }) as const);
const actions: fc.Arbitrary<TurnAction> = fc.oneof(
  fc.record({ type: fc.constant('started' as const), key: fc.uuid(), text: fc.string() }),
  fc.record({ type: fc.constant('joined' as const), key, text: fc.string(), runId: key }),
  fc.record({ type: fc.constant('accepted' as const), key, runId: key }),
  fc.record({ type: fc.constant('connection' as const), key, isConnected: fc.boolean() }),
  fc.record({ type: fc.constant('ended' as const), key, end }),
  fc.record({ type: fc.constant('resumed' as const), key }),
  fc.record({ type: fc.constant('refused' as const), key, error: fc.constant(new Error('x')) }),
);

test('Keys and runs are unique, and an action changes its own turn only', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 40 }), (all) => {
      let turns: readonly Turn[] = [];
      for (const action of all) {
        const before = turns;
        turns = reduceTurns(turns, action);
        const others = before.filter(({ key: own }) => own !== action.key);
        expect(turns).toEqual(expect.arrayContaining(others));
        expect(turns.length).toBeGreaterThanOrEqual(before.length);
      }
    }),
  );
});

test('A run that is joined twice is one turn', () => {
  const join: TurnAction = { type: 'joined', key: 'r1', runId: 'r1', text: 'Hello.' };
  expect(reduceTurns(reduceTurns([], join), join)).toHaveLength(1);
});

test('A chat accepts a message when its run waits or has ended, and not before', () => {
  const turn = (...all: TurnAction[]) => all.reduce(reduceTurns, [] as readonly Turn[]).at(-1);
  const started: TurnAction = { type: 'started', key: 'a', text: 'Hi' };
  const ended = (status: 'finished' | 'suspended'): TurnAction => ({
    type: 'ended',
    key: 'a',
    end: { runId: 'r', status, finishReason: 'stop', usage: {} },
  });
  expect(isBusy(turn(started))).toBe(true);
  expect(isBusy(turn(started, { type: 'accepted', key: 'a', runId: 'r' }))).toBe(true);
  expect(isBusy(turn(started, ended('suspended')))).toBe(false);
  expect(isBusy(turn(started, ended('suspended'), { type: 'resumed', key: 'a' }))).toBe(true);
  expect(isBusy(turn(started, ended('finished')))).toBe(false);
  expect(turn(started, { type: 'refused', key: 'a', error: 1 })).toMatchObject({ phase: 'ended', error: 1 });
});
