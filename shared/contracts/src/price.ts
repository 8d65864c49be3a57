// What models cost: an agent's prices, and the cost of a call by them. A cost is absent, never 0, where its price or its tokens are not
// known: what nobody can tell is not free.
import { z } from 'zod';
import type { Issue } from './errors.ts';
import { modelIdSchema, type Usage } from './model.ts';
import { ownMember } from './own-member.ts';

const price = z.number().min(0);
/** Of one model, for a million tokens, in whatever unit: all prices of a tenant are in the same one. */
export const modelPriceSchema = z.strictObject({
  input: price,
  cachedInput: price.optional().describe('as `input` if absent'),
  output: price.describe('reasoning included'),
});
type ModelPrice = z.infer<typeof modelPriceSchema>;
export const pricesSchema = z.record(modelIdSchema, modelPriceSchema);
export type Prices = z.infer<typeof pricesSchema>;

const PRICED_TOKENS = 1_000_000;
/** So many parts of the unit count, and no smaller ones: sums of fractions stay what a person would add up. */
const PARTS = 1e9;
export const roundCost = (cost: number): number => Math.round(cost * PARTS) / PARTS;

export function withCost(usage: Usage, prices: Prices | undefined, model: string): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const known = priceOf(prices, model);
  if (!known || inputTokens === undefined || outputTokens === undefined) return usage;
  const { input, cachedInput = input, output } = known;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const total = (inputTokens - cached) * input + cached * cachedInput + outputTokens * output;
  return { ...usage, cost: roundCost(total / PRICED_TOKENS) };
}

function priceOf(prices: Prices = {}, model: string): ModelPrice | undefined {
  return ownMember(prices, model);
}

/** Where an agent lists this processor, a model without a price is not asked. */
const COST_GUARD = 'cost-guard';

/** Why the model is not asked: its costs are to be limited, and nobody can tell them. */
export function unpriced(
  { prices }: { prices?: Prices | undefined },
  { entries }: { entries: Record<string, { entry: string; processor: string }> },
  model: string,
): Issue | undefined {
  const guard = Object.values(entries).find(({ processor }) => processor === COST_GUARD);
  if (!guard || priceOf(prices, model)) return undefined;
  const message = `"${model}" has no price, and "${guard.entry}" limits what the models of this agent cost.`;
  return { code: 'model-unpriced', message, path: 'prices', remedy: 'Add the model to `prices` of the agent.' };
}
