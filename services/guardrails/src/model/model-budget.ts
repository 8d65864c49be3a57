// Limits the model calls of a run: all guards of a replica count towards one budget, so that another guard or a longer
// answer does not add calls without a bound. A cached answer costs nothing.
import type { RunRef } from '@millrace/contracts';
import { BOUNDS, type Bound } from '../work/bounds.ts';

export type ModelBudget = {
  /** Counts one call. Returns the exceeded bound instead if the run has no budget left. */
  spend(run: RunRef, characters: number): Bound | undefined;
};

export type BudgetLimits = { maxCalls: number; maxCharacters: number; maxRuns: number };

/** Maximum number of runs that a replica counts. The least recently used run is evicted and starts at 0 again. */
const MAX_RUNS = 20_000;
const LIMITS: BudgetLimits = {
  maxCalls: BOUNDS.modelRunCalls,
  maxCharacters: BOUNDS.modelRunTexts,
  maxRuns: MAX_RUNS,
};

export function createModelBudget({ maxCalls, maxCharacters, maxRuns }: BudgetLimits = LIMITS): ModelBudget {
  const runs = new Map<string, { calls: number; characters: number }>();
  return {
    spend({ tenant, runId }, more) {
      const key = `${tenant}.${runId}`;
      const { calls, characters } = runs.get(key) ?? { calls: 0, characters: 0 };
      if (calls + 1 > maxCalls) return 'modelRunCalls';
      if (characters + more > maxCharacters) return 'modelRunTexts';
      runs.delete(key);
      runs.set(key, { calls: calls + 1, characters: characters + more });
      for (const oldest of runs.keys()) {
        if (runs.size <= maxRuns) break;
        runs.delete(oldest);
      }
      return undefined;
    },
  };
}
