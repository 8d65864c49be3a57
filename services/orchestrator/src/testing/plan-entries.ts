// Entries of a plan for tests, with defaults for missing fields.
import type { Plan, PlanEntry, Stage } from '@millrace/contracts';

export function planEntry(entry: string, more: Partial<PlanEntry> = {}): PlanEntry {
  return {
    entry,
    processor: entry,
    service: 'guards',
    version: '0.1.0',
    lists: ['input'],
    stages: ['processInput'],
    reads: [],
    processDataParts: false,
    options: {},
    required: false,
    memory: false,
    timeoutMs: 5_000,
    attempts: 2,
    onFailure: 'fail',
    ...more,
  };
}

/** Every entry at all of its stages, in the given order. */
export function makePlan(entries: readonly PlanEntry[], tools: Plan['tools'] = []): Plan {
  const order: Plan['order'] = {};
  for (const { entry, stages } of entries) for (const stage of stages) (order[stage] ??= []).push(entry);
  return { entries: Object.fromEntries(entries.map((entry) => [entry.entry, entry])), order, tools };
}

export const atStage = (stage: Stage, ...names: string[]): PlanEntry[] =>
  names.map((name) => planEntry(name, { stages: [stage] }));
