import { expect, test } from 'vitest';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { agentOf } from '../testing/run-states.ts';
import { priceIssues } from './price-issues.ts';

const guarded = planOf([planEntry('budget', { processor: 'cost-guard', stages: ['processInputStep'] })]);

test('an agent with a cost guard and no price of its model is refused', () => {
  expect(priceIssues(agentOf(), guarded)).toMatchObject([{ code: 'model-unpriced', path: 'prices' }]);
  expect(priceIssues(agentOf(), planOf([]))).toEqual([]);
  expect(priceIssues(agentOf({ prices: { 'openai/test': { input: 1, output: 1 } } }), guarded)).toEqual([]);
});
