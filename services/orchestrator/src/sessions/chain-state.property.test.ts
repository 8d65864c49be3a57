import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openChainState, reduceChain, type ChainEffect, type ChainEvent, type ChainState } from './chain-state.ts';

let lostCount = 0;
const anyEvent: fc.Arbitrary<ChainEvent<string>> = fc.oneof(
  fc.constant({ type: 'begun' as const }),
  fc.boolean().map((mayMove) => ({ type: 'lost' as const, lost: `session-${lostCount++}`, mayMove })),
  fc.record({ type: fc.constant('reopened' as const), isWhole: fc.boolean(), canSkip: fc.boolean() }),
  fc.record({ type: fc.constant('end' as const), hasLast: fc.boolean() }),
  fc.constant({ type: 'drained' as const }),
  fc.constant({ type: 'finished' as const }),
  fc.constant({ type: 'stopped' as const }),
);

function run(events: readonly ChainEvent<string>[]) {
  let state: ChainState<string> = openChainState();
  const steps: { before: ChainState<string>; event: ChainEvent<string>; effects: readonly ChainEffect<string>[] }[] =
    [];
  for (const event of events) {
    const before = state;
    const step = reduceChain(state, event);
    state = step.state;
    steps.push({ before, event, effects: step.effects });
  }
  return { state, steps, effects: steps.flatMap(({ effects }) => effects) };
}
const countChunks = (effects: readonly ChainEffect<string>[], type: ChainEffect<string>['type']) =>
  effects.filter((effect) => effect.type === type).length;

test('a chain ends at most once, and an ended chain performs nothing', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const { steps, effects } = run(events);
      expect(countChunks(effects, 'finish') + countChunks(effects, 'stop')).toBeLessThanOrEqual(1);
      const late = steps.filter(({ before }) => before.phase === 'ended').flatMap(({ effects: own }) => own);
      expect(late).toEqual([]);
    }),
  );
});

test('every move is followed by a beginning, a settlement or the end before the next move', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const { effects, state } = run(events);
      const kinds = effects.flatMap(({ type }) =>
        type === 'move' ? ['move'] : type === 'begin-again' || type === 'settle' || type === 'stop' ? ['over'] : [],
      );
      const unanswered = kinds.filter((kind, at) => kind === 'move' && kinds[at + 1] !== 'over');
      // The last move may still be under way, or the chain has finished without it.
      expect(unanswered.length).toBeLessThanOrEqual(state.phase === 'moving' || state.phase === 'ended' ? 1 : 0);
    }),
  );
});

test('a chain that is moving sends no end, and sends it when it streams again', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), (isWhole, canSkip, hasLast, losesMore) => {
      const { steps, effects } = run([
        { type: 'begun' },
        { type: 'lost', lost: 'a', mayMove: true },
        { type: 'end', hasLast },
        ...(losesMore ? [{ type: 'lost' as const, lost: 'b', mayMove: false }] : []),
        { type: 'reopened', isWhole, canSkip },
      ]);
      expect(steps[2]?.effects).toEqual([]);
      const begins = isWhole && (losesMore || !canSkip);
      expect(countChunks(effects, 'begin-again')).toBe(begins ? 1 : 0);
      expect(effects.find(({ type }) => type === 'settle')).toEqual(
        begins ? undefined : { type: 'settle', lost: 'a', mustFail: losesMore },
      );
      expect(effects.at(-1)).toEqual({ type: hasLast && isWhole ? 'drain' : 'end-sessions' });
    }),
  );
});

test('the last chunks are sent once, however often the sessions are opened again behind them', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const once = events.filter(
        ({ type }, at) => type !== 'end' || events.findIndex((one) => one.type === 'end') === at,
      );
      expect(countChunks(run(once).effects, 'send-last')).toBeLessThanOrEqual(1);
    }),
  );
});
