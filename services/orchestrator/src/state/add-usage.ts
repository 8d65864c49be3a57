// Adds the usage of model calls up. Pure.
import { roundCost, type EntryUsage, type ProcessorUsage, type RunState, type Usage } from '@millrace/contracts';

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

type BilledUsage = { entry: string; usage: ProcessorUsage };

/** Adds the usage of processors by entry, in the order of their first calls. Sums stay exact integers. */
export function addProcessorUsage(usage: Usage, billed: readonly BilledUsage[]): Usage {
  const sums = new Map((usage.processors ?? []).map((sum) => [sum.entry, sum]));
  for (const { entry, usage: more } of billed) sums.set(entry, addCounts(sums.get(entry), entry, more));
  return { ...usage, processors: [...sums.values()] };
}

function addCounts(sum: EntryUsage | undefined, entry: string, more: ProcessorUsage): EntryUsage {
  const add = (name: keyof ProcessorUsage) => Math.min((sum?.[name] ?? 0) + (more[name] ?? 0), Number.MAX_SAFE_INTEGER);
  return { entry, modelCalls: add('modelCalls'), inputTokens: add('inputTokens'), outputTokens: add('outputTokens') };
}
