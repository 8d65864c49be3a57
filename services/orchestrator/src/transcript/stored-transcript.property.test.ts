// The state lists the stream of each accepted step, after any actions. Records without any mark of a
// difference, which earlier versions wrote, have the same list.
import type { RunAction, RunState } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldActions, makeAccepted, makeAnswer, makeState } from '../testing/run-states.ts';

type Deed = 'open' | 'answer' | 'differ' | 'close' | 'rewind' | 'move';
const deeds = fc.array(fc.constantFrom<Deed[]>('open', 'answer', 'differ', 'close', 'rewind', 'move'), {
  maxLength: 40,
});

/** The actions that the run loop can dispatch for the deed in this state. */
function listActions({ open, steps }: RunState, deed: Deed, index: number): RunAction[] {
  const isOpen = open !== undefined && !open.closed;
  if (deed === 'open') return isOpen ? [] : [{ action: 'step-opened', firstIndex: index }];
  if (deed === 'answer') return isOpen && !open.answer ? makeAccepted(makeAnswer(steps.length, `${index}.`)) : [];
  if (deed === 'differ') return [{ action: 'stream-differed' }];
  if (deed === 'close') return isOpen && open.answer ? [{ action: 'step-closed', results: [] }] : [];
  if (deed === 'move') return isOpen ? [{ action: 'step-moved', firstIndex: index }] : [];
  return open ? [{ action: 'rewound', to: 'step', feedback: '' }] : [];
}

/** The list after the deed, and the mark of the open step. */
function expectShown({ open, shown, steps }: RunState, deed: Deed): Pick<RunState, 'shown'> & { isMarked: boolean } {
  const isOpen = open !== undefined && !open.closed;
  const isMarked = isOpen && open.differs === true;
  if (deed === 'close' && isOpen && open.answer)
    return { shown: [...shown, { firstIndex: open.firstIndex, ...(isMarked && { differs: true }) }], isMarked: false };
  if (deed === 'rewind' && open) return { shown: open.closed ? shown.slice(0, -1) : shown, isMarked: false };
  if (deed !== 'differ') return { shown, isMarked };
  return isOpen || steps.length === 0
    ? { shown, isMarked: isOpen }
    : { shown: shown.map((one, at) => (at === shown.length - 1 ? { ...one, differs: true } : one)), isMarked };
}

test('each step has the index of its first chunk, and only a step that differs is marked', () => {
  fc.assert(
    fc.property(deeds, (script) => {
      let state = makeState();
      let unmarked = makeState();
      for (const [index, deed] of script.entries()) {
        const expected = expectShown(state, deed);
        const actions = listActions(state, deed, index);
        state = foldActions(state, ...actions);
        unmarked = foldActions(unmarked, ...actions.filter(({ action }) => action !== 'stream-differed'));
        const { shown, open } = state;
        expect({ shown, isMarked: open?.closed === false && open.differs === true }).toEqual(expected);
        expect(shown).toHaveLength(state.steps.length);
        expect(unmarked.shown).toEqual(shown.map(({ firstIndex }) => ({ firstIndex })));
      }
    }),
    { numRuns: 500 },
  );
});

test('a restated answer decides the end of the run', () => {
  const finish = {
    type: 'finish' as const,
    runId: 'run-1',
    from: 'AGENT' as const,
    payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
  };
  const state = foldActions(makeState(), { action: 'answer-restated', finish, unsaved: ['memory'] });
  expect(state.restated).toMatchObject({ finish, unsaved: ['memory'] });
});
