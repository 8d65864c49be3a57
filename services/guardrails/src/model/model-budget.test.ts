import { TEST_RUN } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { createModelBudget } from './model-budget.ts';

const runWithId = (runId: string) => ({ ...TEST_RUN, runId });

test('a call above a limit is not counted', () => {
  const budget = createModelBudget({ maxCalls: 2, maxCharacters: 10, maxRuns: 10 });
  expect(budget.spend(runWithId('a'), 11)).toBe('modelRunTexts');
  expect(budget.spend(runWithId('a'), 10)).toBeUndefined();
  expect(budget.spend(runWithId('a'), 1)).toBe('modelRunTexts');
  expect(budget.spend(runWithId('a'), 0)).toBeUndefined();
  expect(budget.spend(runWithId('a'), 0)).toBe('modelRunCalls');
});

test('the budget counts a bounded number of runs and evicts the run that was used least recently', () => {
  const budget = createModelBudget({ maxCalls: 2, maxCharacters: 10, maxRuns: 2 });
  for (const runId of ['a', 'b', 'a', 'c']) budget.spend(runWithId(runId), 0);
  expect(budget.spend(runWithId('a'), 0)).toBe('modelRunCalls');
  for (let call = 0; call < 2; call++) expect(budget.spend(runWithId('b'), 0)).toBeUndefined();
});
