// Reserves the cost of one call of a model in the budgets of its run, before the call.
import { MillraceError, toWireError, withCost, listUnpriced, type Issue } from '@millrace/contracts';
import { readPrices } from '../state/run-prices.ts';
import { failInOwnWords, fail, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { estimateUsage } from './call-meter.ts';
import type { StepModelCall } from './step-call.ts';

/** Output tokens that a call without `maxOutputTokens` reserves. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/** Takes the cost of the call; undefined: the reservation counts. */
export type SettleCall = (cost: number | undefined) => void;
const NOTHING: SettleCall = () => undefined;

/** Returns the error of a model with a limited cost that cannot be computed. */
export function findUnpriced(run: Run, { model }: StepModelCall): Issue | undefined {
  const isBudgeted = run.deps.budgets?.isLimited(run.getState().request) ?? false;
  return listUnpriced({ prices: readPrices(run), entries: run.plan.entries, isBudgeted }, model);
}

export async function reserveCall(
  run: Run,
  call: StepModelCall,
): Promise<{ settle: SettleCall } | { interrupt: Interrupt }> {
  const { budgets } = run.deps;
  const { request, steps } = run.getState();
  if (call.cached || !budgets?.isLimited(request)) return { settle: NOTHING };
  const inputTokens = estimateUsage(call, 0).inputTokens ?? 0;
  const outputTokens = call.modelSettings.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const { cost = 0 } = withCost({ inputTokens, outputTokens }, readPrices(run), call.model);
  try {
    const reserved = await budgets.reserve(request, cost, run.signal);
    if (!reserved) return { interrupt: run.checkInterruption() ?? { form: 'cancel' } };
    for (const notice of reserved.notices) run.events.record({ event: 'budget', step: steps.length, ...notice });
    return reserved;
  } catch (error) {
    return {
      interrupt: MillraceError.isInstance(error) ? failInOwnWords(toWireError(error)) : fail(toWireError(error)),
    };
  }
}
