import type { Prices } from '@millrace/contracts';
import type { Run } from './run-context.ts';

/** Returns the prices of the run: those of the agent, replaced by those of the file of budgets. */
export const readPrices = ({ agent, deps }: Pick<Run, 'agent' | 'deps'>): Prices => ({
  ...agent.prices,
  ...deps.budgets?.prices,
});
