import { INSTRUCTIONS_LABEL, applyOps, emptyConversation, type SystemMessage } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { findChangedGroups } from './accept-answer.ts';

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
