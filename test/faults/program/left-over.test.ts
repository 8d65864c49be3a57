import { expect, test } from 'vitest';
import { leftOver } from './left-over.ts';

const kept = ['head.t.one', 'end.t.one.1', 'end.t.one.2', 'cancel.t.one', 'save.t.one', 'dead.t.one'];

test('of a run that has ended head and end may stay, and what was put off', () => {
  expect(leftOver(kept, ['one'])).toEqual([]);
});

test('records, questions and answers of a run that has ended are left over', () => {
  const over = ['record.t.one.2-4', 'suspension.t.one', 'resumption.t.one.p1'];
  expect(leftOver([...kept, ...over], ['one'])).toEqual(over);
});

test('a record that a replaced owner wrote late is nobody’s, and other runs are not looked at', () => {
  expect(leftOver([...kept, 'record.t.one.1-0', 'record.t.other.1-0'], ['one'])).toEqual([]);
});
