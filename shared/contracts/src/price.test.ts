import { describe, expect, test } from 'vitest';
import { pricesSchema, roundCost, unpriced, withCost } from './price.ts';

const prices = pricesSchema.parse({
  'openai/small': { input: 0.25, cachedInput: 0.025, output: 2 },
  'openai/plain': { input: 1, output: 3 },
});

describe('the cost of a call', () => {
  test('is that of its tokens, those from the provider’s cache by their own price', () => {
    const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 500_000 };
    expect(withCost(usage, prices, 'openai/small').cost).toBe(0.15 + 0.01 + 1);
    expect(withCost(usage, prices, 'openai/plain').cost).toBe(2.5);
  });

  test.each([
    ['without a price', { inputTokens: 1, outputTokens: 1 }, 'openai/other'],
    ['of an answer without tokens', {}, 'openai/small'],
    ['of an answer of which half is told', { inputTokens: 1 }, 'openai/small'],
    ['of a model that has the name of a member', { inputTokens: 1, outputTokens: 1 }, 'constructor'],
  ])('%s is absent, not 0', (_what, usage, model) => {
    expect(withCost(usage, prices, model)).toEqual(usage);
  });

  test('is never less than nothing, whatever a provider says of its cache', () => {
    const usage = { inputTokens: 10, cachedInputTokens: 1_000_000, outputTokens: 0 };
    expect(withCost(usage, prices, 'openai/small').cost).toBe(roundCost((10 * 0.025) / 1e6));
  });

  test('adds up as a person would', () => {
    expect(roundCost(0.1 + 0.2)).toBe(0.3);
  });
});

test.each([[{ input: -1, output: 1 }], [{ input: 1 }], [{ input: 1, output: 1, perCall: 2 }]])(
  'a price %j is refused',
  (price) => expect(pricesSchema.safeParse({ 'openai/small': price }).success).toBe(false),
);

test('a model without a price is asked unless a cost guard is listed', () => {
  const entries = (processor: string) => ({ entries: { budget: { entry: 'budget', processor } } });
  expect(unpriced({ prices }, entries('cost-guard'), 'openai/small')).toBeUndefined();
  expect(unpriced({ prices }, entries('pii'), 'openai/other')).toBeUndefined();
  expect(unpriced({ prices }, entries('cost-guard'), 'openai/other')).toMatchObject({ code: 'model-unpriced' });
  expect(unpriced({}, entries('cost-guard'), 'openai/other')?.message).toContain('budget');
});
