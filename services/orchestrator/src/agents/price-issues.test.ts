import { expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { makeAgent } from '../testing/run-states.ts';
import { priceIssues } from './plan-warnings.ts';

const guarded = makePlan([planEntry('budget', { processor: 'cost-guard', stages: ['processInputStep'] })]);

test('an agent with a cost guard and no price of its model is refused', () => {
  expect(priceIssues(makeAgent(), guarded)).toMatchObject([{ code: 'model-unpriced', path: 'prices' }]);
  expect(priceIssues(makeAgent(), makePlan([]))).toEqual([]);
  expect(priceIssues(makeAgent({ prices: { 'openai/test': { input: 1, output: 1 } } }), guarded)).toEqual([]);
});
