// Defines amounts of money that calls of models may cost, and the budget of a key as a request carries it.
import { z } from 'zod';
import { tokenSchema } from '../base/tokens.ts';

/** Maximum of a budget, in the currency of the prices: sums of its fractions stay exact integers. */
const MAX_AMOUNT = 1_000_000;
export const budgetAmountSchema = z.number().positive().max(MAX_AMOUNT);

/** Maximum cost in one day and in one month of the UTC calendar, in the currency of the prices. */
export type MoneyLimits = { day?: number | undefined; month?: number | undefined };

/** The gateway adds it to the requests of a key with limits of money. */
export const keyBudgetSchema = z.strictObject({
  account: tokenSchema.describe('hash of the key'),
  day: budgetAmountSchema.optional(),
  month: budgetAmountSchema.optional(),
});
export type KeyBudget = z.infer<typeof keyBudgetSchema>;
