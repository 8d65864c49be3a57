// Adds the usage of model calls up. Pure.
import { roundCost, type RunState, type Usage } from '@millrace/contracts';

/** Adds usage. An unknown cost is never zero: if the cost of one call is unknown, the run's cost is unknown. */
export function addPaidUsage(state: RunState, usage: Usage): RunState {
  const costUnknown = state.costUnknown || usage.cost === undefined;
  const { cost, ...sum } = addUsage(state.usage, usage);
  return { ...state, costUnknown, usage: { ...sum, ...(!costUnknown && cost !== undefined && { cost }) } };
}

export function addUsage(total: Usage, more: Usage): Usage {
  const sum: Usage = { ...total };
  for (const key of ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'] as const) {
    if (more[key] !== undefined) sum[key] = (sum[key] ?? 0) + more[key];
  }
  if (more.cost !== undefined) sum.cost = roundCost((sum.cost ?? 0) + more.cost);
  if (more.estimated) sum.estimated = true;
  return sum;
}
