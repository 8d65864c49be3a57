// Counts the model calls that processors have made themselves: in the usage of the run, and in the budgets of money.
import { computeProcessorCost, type ProcessorUsage, type VerdictUsage } from '@millrace/contracts';
import type { Run } from './run-context.ts';
import { readPrices } from './run-prices.ts';

export type BilledCalls = { entry: string; usage: VerdictUsage };

/** Returns the counts of all models. */
export function sumModels({ models: _, ...counts }: VerdictUsage): ProcessorUsage {
  return counts;
}

export function countProcessorCalls(run: Run, calls: readonly BilledCalls[]): void {
  if (calls.length === 0) return;
  run.dispatch({
    action: 'processors-billed',
    usage: calls.map(({ entry, usage }) => ({ entry, usage: sumModels(usage) })),
  });
  const { budgets } = run.deps;
  if (!budgets) return;
  const prices = readPrices(run);
  const cost = calls.reduce((sum, { usage }) => sum + computeProcessorCost(usage, prices), 0);
  if (cost > 0) budgets.charge(run.getState().request, cost);
}
