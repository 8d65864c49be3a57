import { expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { makeAgent } from '../testing/run-states.ts';
import { findPriceIssues } from './plan-warnings.ts';

const guarded = makePlan([planEntry('budget', { processor: 'cost-guard', stages: ['processInputStep'] })]);

test('an agent with a cost guard and no price of its model is refused', () => {
  expect(findPriceIssues(makeAgent(), guarded)).toMatchObject([{ code: 'model-unpriced', path: 'prices' }]);
  expect(findPriceIssues(makeAgent(), makePlan([]))).toEqual([]);
  expect(findPriceIssues(makeAgent({ prices: { 'openai/test': { input: 1, output: 1 } } }), guarded)).toEqual([]);
});
