// cost-guard: limits the cost of the model calls of a run, thread, resource or tenant. The orchestrator computes each
// call's cost from the agent's `prices`; the guard checks the total before each call and adds the cost after it.
import { MillraceError } from '@millrace/contracts';
import {
  defineProcessor,
  type CommonArgs,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type ProcessLLMResponseArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { z } from 'zod';
import { readNumber, readObject, readString } from '../../guard/entry-state.ts';
import { refuse } from '../../guard/report.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import type { GuardStore } from '../../store/guard-store.ts';
import { createCostTotals, WINDOW_NAMES, type CostTotals } from './cost-totals.ts';

const options = z.strictObject({
  maxCost: z
    .number()
    .positive()
    .describe(
      'Maximum cost, in the unit of the agent’s `prices`. The guard stops every call after this amount is spent.',
    ),
  scope: z
    .enum(['run', 'thread', 'resource', 'tenant'])
    .default('run')
    .describe(
      'Calls that count towards one limit: those of this run, or of all runs of its thread, resource or tenant. All scopes except run count in Redis, over all agents with the same scope and window.',
    ),
  window: z
    .enum(WINDOW_NAMES)
    .default('day')
    .describe('Accounting window (UTC calendar). The scope run counts from the start of the run.'),
  strategy: z
    .enum(['block', 'warn'])
    .default('block')
    .describe('block: stop the run before the next call. warn: continue and report a violation.'),
  warnAtPercent: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe('Percentage of maxCost that triggers one warning violation per run. 0 disables it.'),
  reserve: z
    .number()
    .min(0)
    .default(0)
    .describe('Cost reserved per call until its actual cost is known; kept if it is never reported.'),
  response: responseOption,
});
type CostGuardOptions = z.output<typeof options>;
type Guard = CostGuardOptions & { totals: CostTotals | undefined };

/**
 * Compares the spent cost with the limit before each model call and adds the call's cost after it. Each call counts
 * once, even if several replicas report it or the run moves to another owner. The agent needs `prices`; the guard
 * rejects calls of a model without a price. The scope `run` uses the run's state; all other scopes need `REDIS_URL`. If
 * Redis is unavailable, or `REDIS_URL` is not set, a call with another scope fails, and the entry's `onFailure` decides.
 *
 * @verdict continue: less than the limit is spent
 * @verdict abort: strategy block, the limit is reached
 * @verdict halt: strategy block, if `response` is set
 * @cannot Stop a call in progress: the call that crosses the limit is paid, as are the calls that run concurrently.
 * @cannot Measure the cost of an interrupted call if its provider never reported the usage: it counts an estimate from
 * the length of the texts.
 * @cannot Count the model calls of guards and memories.
 * @cannot Add up costs for a thread or resource that the run does not have: such a run has the whole limit for itself.
 * @example
 * prices:
 *   openai/gpt-5-mini: { input: 0.25, cachedInput: 0.025, output: 2 }
 * input:
 *   - use: cost-guard
 *     options: { maxCost: 5, scope: resource, window: day, warnAtPercent: 80, reserve: 0.02 }
 */
export const defineCostGuard = (store: GuardStore): ProcessorDefinition =>
  defineProcessor({
    id: 'cost-guard',
    description: 'Limits the cost of the model calls of a run, thread, resource or tenant.',
    aliases: ['CostGuard', 'CostGuardProcessor'],
    stages: ['processInputStep', 'processLLMResponse'],
    reads: [],
    processCutOff: true,
    options,
    create: (chosen) => {
      const { scope, window } = chosen;
      const guard = { ...chosen, totals: scope === 'run' ? undefined : createCostTotals(store, scope, window) };
      return {
        id: 'cost-guard',
        processInputStep: (args) => limitCost(guard, args),
        processLLMResponse: (args) => countCost(guard, args),
      };
    },
  });

async function limitCost(guard: Guard, args: ProcessInputStepArgs): Promise<ProcessInputStepResult> {
  const { maxCost, scope, strategy, warnAtPercent, response } = guard;
  const { spent, isOver } = await reserveCost(guard, args);
  const warnOnce = (rule: string, message: string) =>
    args.onViolation({ message, rule, strategy, detail: { spent, maxCost, scope } });
  if (isOver) {
    const message = `The cost limit of a ${scope} is reached.`;
    if (strategy === 'block' || isNew(args, 'limited')) warnOnce('cost-limit', message);
    return strategy === 'block' ? refuse(args, response, message, { rules: ['cost-limit'] }) : undefined;
  }
  const isNear = warnAtPercent > 0 && spent >= (maxCost * warnAtPercent) / 100;
  if (isNear && isNew(args, 'warned'))
    warnOnce('cost-warning', `More than ${warnAtPercent} % of the cost limit of a ${scope} is spent.`);
  return undefined;
}

/**
 * Reads the spent cost and reserves part of the rest in one step, so that concurrent runs together cannot exceed the
 * limit. A reserve of an earlier call that was never refunded stays, because that call was cut off.
 */
async function reserveCost(guard: Guard, args: CommonArgs): Promise<{ spent: number; isOver: boolean }> {
  const { totals, reserve, maxCost, strategy } = guard;
  const { run, state, abortSignal } = args;
  const number = readNumber(state, 'reservations');
  const limit = strategy === 'block' ? maxCost : undefined;
  const what = { run, id: `reserved:${run.runId}.${number}`, cost: reserve, limit };
  const counted = reserve > 0 ? await totals?.add(what, abortSignal) : undefined;
  const spent = counted?.others ?? (await readSpent(guard, args));
  const isOver = counted && limit !== undefined ? !counted.isCounted : spent >= maxCost;
  if (reserve > 0 && !(isOver && limit !== undefined)) {
    state['reservations'] = number + 1;
    state['reserved'] = { number, at: counted?.at ?? '' };
    state['spent'] = readNumber(state, 'spent') + reserve;
  }
  return { spent, isOver };
}

async function refundReserve({ totals, reserve }: Guard, { run, state, abortSignal }: CommonArgs): Promise<void> {
  const reserved = readObject(state, 'reserved');
  const [number, at] = [reserved['number'], readString(reserved, 'at')];
  delete state['reserved'];
  if (typeof number !== 'number') return;
  if (at !== '') await totals?.add({ run, id: `given-back:${run.runId}.${number}`, cost: -reserve, at }, abortSignal);
  state['spent'] = readNumber(state, 'spent') - reserve;
}

/** Reads the costs of the run alone if it has no owner of the scope, because unowned costs must count too. */
async function readSpent({ totals }: Guard, { run, state, abortSignal }: CommonArgs): Promise<number> {
  return (await totals?.read(run, abortSignal)) ?? readNumber(state, 'spent');
}

function isNew({ state }: CommonArgs, what: string): boolean {
  if (state[what] === true) return false;
  state[what] = true;
  return true;
}

async function countCost(guard: Guard, args: ProcessLLMResponseArgs): Promise<void> {
  if (!args.fromCache) await countCall(guard, args);
  await refundReserve(guard, args);
}

async function countCall({ totals }: Guard, args: ProcessLLMResponseArgs): Promise<void> {
  const { usage, run, state, stepNumber, modelCall, abortSignal } = args;
  const { cost } = usage;
  // A negative cost would be a credit, and one beyond the limit would overflow the sum.
  if (cost === undefined || !(cost >= 0 && cost <= MAX_CALL_COST))
    throw new MillraceError('cost-unknown', `The cost of a call of ${args.model} is unknown.`, unknown);
  await totals?.add({ run, id: `call:${run.runId}.${stepNumber}.${modelCall}`, cost }, abortSignal);
  if (readNumber(state, 'counted') >= modelCall) return;
  state['counted'] = modelCall;
  state['spent'] = readNumber(state, 'spent') + cost;
}

/** Maximum cost of one call, in the unit of the prices. */
const MAX_CALL_COST = 1_000_000;

const unknown = {
  remedy: 'Use a model whose provider reports token usage, and give it a price in `prices` of the agent.',
};
