import { expect, test } from 'vitest';
import { hasFilter, readRunSearch } from './run-search.ts';

test('The filters of an address are read, and everything else is dropped', () => {
  const search = {
    status: 'failed',
    thread: 12,
    agent: ' ',
    subject: 'x'.repeat(201),
    after: 7,
    other: 'x',
    since: ['a'],
  };
  expect(readRunSearch(search)).toEqual({ status: 'failed', thread: '12', after: 7 });
});

test.each([-1, 1.5, Number.NaN, '7', Infinity])('The position %s is dropped', (after) => {
  expect(readRunSearch({ after })).toEqual({});
});

test('A position alone is no filter', () => {
  expect([hasFilter({ after: 3 }), hasFilter({ status: 'failed' })]).toEqual([false, true]);
});
