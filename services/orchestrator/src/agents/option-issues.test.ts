import { expect, test } from 'vitest';
import { findOptionIssues, type GivenOptions } from './option-issues.ts';

const collectGiven = (at: number): GivenOptions => ({
  processor: 'any',
  schema: { type: 'object' },
  options: {},
  path: `input[${at}].options`,
  place: `input[${at}]`,
});
const all = [collectGiven(0), collectGiven(1)];

test('options are refused unchecked when those before them used up the processor time', () => {
  let used = 0;
  const issues = findOptionIssues(all, () => (used += 600));
  expect(issues.map(({ path }) => path)).toEqual(['input[1]']);
  expect(issues[0]?.message).toContain('take longer to check than 1000 ms');
});

test('options are checked however long a busy machine lets them wait', () => {
  expect(findOptionIssues(all, () => 5)).toEqual([]);
});
