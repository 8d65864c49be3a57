import { INSTRUCTIONS_LABEL, applyOps, emptyConversation, type SystemMessage } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createAnswerBuilder } from '../model/answer-builder.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { acceptAnswer, findChangedGroups } from './accept-answer.ts';

const group = (tag: string, ...contents: string[]): SystemMessage[] =>
  contents.map((content) => ({ tag, content, label: INSTRUCTIONS_LABEL }));
const before = [...group('a', 'one', 'two'), ...group('b', 'three')];

test('unchanged system messages give no operations', () => {
  expect(findChangedGroups(before, [...before])).toEqual([]);
});

test.each([
  ['a new group', [...before, ...group('c', 'four')]],
  ['a changed one', [...group('a', 'one', 'other'), ...group('b', 'three')]],
  ['a shorter one', [...group('a', 'one'), ...group('b', 'three')]],
  ['a missing one', group('b', 'three')],
  ['all gone', []],
])('the operations turn system messages into %s', (_what, after) => {
  const ops = findChangedGroups(before, after);
  expect(applyOps({ ...emptyConversation, system: before }, ops).system).toEqual(after);
});

test('the text that memory stores of a rejected answer does not stay if the next one has none of its own', async () => {
  const { run } = createTestRun();
  const call = { model: 'openai/test', prompt: [], tools: [], modelSettings: {}, providerOptions: {} };
  const accept = async (text: string, stored: string | undefined) => {
    run.dispatch({ action: 'step-opened', firstIndex: 0 });
    const answer = makeAnswer(0, text);
    const builder = createAnswerBuilder(answer.message.id);
    const end = { finishReason: 'stop', usage: {}, warnings: [] };
    expect(await acceptAnswer(run, call, answer, { kind: 'answer', builder, stored, ...end })).toBeUndefined();
    return run.getState().stored[answer.message.id];
  };
  expect(await accept('short', 'short and rejected')).toBe('short and rejected');
  run.dispatch({ action: 'rewound', to: 'step', feedback: '' });
  expect(await accept('accepted', undefined)).toBe('accepted');
});
