import { expect, test } from 'vitest';
import { listRemaining } from './remaining-data.ts';

const kept = ['head.t.one', 'end.t.one.1', 'end.t.one.2', 'cancel.t.one', 'joined.t.one', 'save.t.one', 'dead.t.one'];

test('listRemaining ignores the head, the end, the cancel and the joined submission of a finished run, and its deferred saves', () => {
  expect(listRemaining(kept, ['one'])).toEqual([]);
});

test('listRemaining reports records, questions and answers of a finished run', () => {
  const over = ['record.t.one.2-4', 'suspension.t.one', 'resumption.t.one.p1'];
  expect(listRemaining([...kept, ...over], ['one'])).toEqual(over);
});

test('listRemaining ignores a late record of a replaced owner and other runs', () => {
  expect(listRemaining([...kept, 'record.t.one.1-0', 'record.t.other.1-0'], ['one'])).toEqual([]);
});
