// Computes the cost of model calls by an agent's prices. A cost is absent, never 0, if its price or its tokens are
// unknown: an unknown price is not free.
import { z } from 'zod';
import type { Issue } from '../base/errors.ts';
import { modelIdSchema, type ProcessorUsage, type Usage, type VerdictUsage } from '../message/model.ts';
import { getOwnMember } from '../base/own-member.ts';

const price = z.number().min(0);
/** Price of one million tokens of one model, in any currency: all prices of a tenant use the same one. */
export const modelPriceSchema = z.strictObject({
  input: price,
  cachedInput: price.optional().describe('default: `input`'),
  output: price.describe('reasoning included'),
});
type ModelPrice = z.infer<typeof modelPriceSchema>;
export const pricesSchema = z.record(modelIdSchema, modelPriceSchema);
export type Prices = z.infer<typeof pricesSchema>;

const PRICED_TOKENS = 1_000_000;
/** Costs are multiples of one billionth of the unit, so that sums of fractions are exact. */
const PARTS = 1e9;
export const roundCost = (cost: number): number => Math.round(cost * PARTS) / PARTS;

export function withCost(usage: Usage, prices: Prices | undefined, model: string): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const known = findPrice(prices, model);
  if (!known || inputTokens === undefined || outputTokens === undefined) return usage;
  const { input, cachedInput = input, output } = known;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const total = (inputTokens - cached) * input + cached * cachedInput + outputTokens * output;
  return { ...usage, cost: roundCost(total / PRICED_TOKENS) };
}

export function findPrice(prices: Prices = {}, model: string): ModelPrice | undefined {
  return getOwnMember(prices, model);
}

/** Returns the cost of a processor's own calls. Calls of an unknown model, or of one without a price, cost the highest known price. */
export function computeProcessorCost({ models = [], ...all }: VerdictUsage, prices: Prices): number {
  const known = Object.values(prices);
  const highest = {
    input: Math.max(0, ...known.map(({ input }) => input)),
    output: Math.max(0, ...known.map(({ output }) => output)),
  };
  const named = models.map((counts) => computeTokenCost(counts, findPrice(prices, counts.model) ?? highest));
  const sum = (name: 'inputTokens' | 'outputTokens') =>
    models.reduce((total, counts) => total + (counts[name] ?? 0), 0);
  const others = {
    inputTokens: Math.max(0, (all.inputTokens ?? 0) - sum('inputTokens')),
    outputTokens: Math.max(0, (all.outputTokens ?? 0) - sum('outputTokens')),
  };
  return roundCost(named.reduce((total, cost) => total + cost, computeTokenCost(others, highest)) / PRICED_TOKENS);
}

const computeTokenCost = (
  { inputTokens = 0, outputTokens = 0 }: ProcessorUsage,
  { input, output }: ModelPrice,
): number => inputTokens * input + outputTokens * output;

/** If an agent lists this processor, models without a price are not called. */
const COST_GUARD = 'cost-guard';

type PricedPlan = {
  prices: Prices | undefined;
  entries: Record<string, { entry: string; processor: string }>;
  /** A budget limits the cost of the run. */
  isBudgeted: boolean;
};

/** Returns the error if the model must not be called: its cost is limited, and cannot be computed. */
export function listUnpriced({ prices, entries, isBudgeted }: PricedPlan, model: string): Issue | undefined {
  if (findPrice(prices, model)) return undefined;
  const guard = Object.values(entries).find(({ processor }) => processor === COST_GUARD);
  const limit = guard ? `"${guard.entry}"` : isBudgeted ? 'a budget' : undefined;
  if (limit === undefined) return undefined;
  const message = `"${model}" has no price, and ${limit} limits the cost of this agent's models.`;
  const remedy = 'Add the model to `prices` of the agent, or of the file of budgets.';
  return { code: 'model-unpriced', message, path: 'prices', remedy };
}
