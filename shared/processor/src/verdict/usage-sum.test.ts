import { MAX_REPORTED_TOKENS } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createUsageSum } from './usage-sum.ts';

test('reports of usage add up, to the maximum of a verdict', () => {
  const sum = createUsageSum('judge');
  expect(sum.read()).toBeUndefined();
  sum.add({ modelCalls: 1, inputTokens: 10 });
  sum.add({ modelCalls: 1, inputTokens: 5, outputTokens: MAX_REPORTED_TOKENS });
  sum.add({ outputTokens: 1 });
  expect(sum.read()).toEqual({ modelCalls: 2, inputTokens: 15, outputTokens: MAX_REPORTED_TOKENS });
});

test('Reports that name a model are listed by model, and the sum has all of them', () => {
  const sum = createUsageSum('judge');
  sum.add({ modelCalls: 1, inputTokens: 10, model: 'openai/a' });
  sum.add({ modelCalls: 1, inputTokens: 5, model: 'openai/a' });
  sum.add({ modelCalls: 1, inputTokens: 1 });
  sum.add({ modelCalls: 1, outputTokens: 2, model: 'openai/b' });
  expect(sum.read()).toEqual({
    modelCalls: 4,
    inputTokens: 16,
    outputTokens: 2,
    models: [
      { model: 'openai/a', modelCalls: 2, inputTokens: 15 },
      { model: 'openai/b', modelCalls: 1, outputTokens: 2 },
    ],
  });
});

test.each([-1, 0.5, NaN, Infinity, MAX_REPORTED_TOKENS + 1])('a count of %d is refused by name', (count) => {
  const sum = createUsageSum('judge');
  expect(() => sum.add({ inputTokens: count })).toThrow(/"judge" reported the usage .*an integer from 0/);
  expect(sum.read()).toBeUndefined();
});
