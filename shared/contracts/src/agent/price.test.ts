import { describe, expect, test } from 'vitest';
import { pricesSchema, roundCost, listUnpriced, withCost } from './price.ts';

const prices = pricesSchema.parse({
  'openai/small': { input: 0.25, cachedInput: 0.025, output: 2 },
  'openai/plain': { input: 1, output: 3 },
});

describe('the cost of a call', () => {
  test('The cost of a call is that of its tokens, with a separate price for cached tokens', () => {
    const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 500_000 };
    expect(withCost(usage, prices, 'openai/small').cost).toBe(0.15 + 0.01 + 1);
    expect(withCost(usage, prices, 'openai/plain').cost).toBe(2.5);
  });

  test.each([
    ['without a price', { inputTokens: 1, outputTokens: 1 }, 'openai/other'],
    ['of an answer without tokens', {}, 'openai/small'],
    ['of an answer with half of the usage reported', { inputTokens: 1 }, 'openai/small'],
    ['of a model that has the name of a member', { inputTokens: 1, outputTokens: 1 }, 'constructor'],
  ])('The cost for %s is absent, not 0', (_what, usage, model) => {
    expect(withCost(usage, prices, model)).toEqual(usage);
  });

  test('The cost of a call is never negative, for any count of cached tokens', () => {
    const usage = { inputTokens: 10, cachedInputTokens: 1_000_000, outputTokens: 0 };
    expect(withCost(usage, prices, 'openai/small').cost).toBe(roundCost((10 * 0.025) / 1e6));
  });

  test('Costs are added without binary rounding errors', () => {
    expect(roundCost(0.1 + 0.2)).toBe(0.3);
  });
});

test.each([[{ input: -1, output: 1 }], [{ input: 1 }], [{ input: 1, output: 1, perCall: 2 }]])(
  'The price %j is rejected',
  (price) => expect(pricesSchema.safeParse({ 'openai/small': price }).success).toBe(false),
);

test('A model without a price is called unless a cost guard is listed or a budget applies', () => {
  const plan = (processor: string, isBudgeted = false) => ({
    prices,
    entries: { cap: { entry: 'cap', processor } },
    isBudgeted,
  });
  expect(listUnpriced(plan('cost-guard'), 'openai/small')).toBeUndefined();
  expect(listUnpriced(plan('pii'), 'openai/other')).toBeUndefined();
  expect(listUnpriced(plan('cost-guard'), 'openai/other')).toMatchObject({ code: 'model-unpriced' });
  expect(listUnpriced({ ...plan('cost-guard'), prices: undefined }, 'openai/other')?.message).toContain('cap');
  expect(listUnpriced(plan('pii', true), 'openai/other')?.message).toContain('a budget limits');
});
