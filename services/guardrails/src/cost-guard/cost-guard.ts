// cost-guard: no run, thread, resource or tenant spends more on model calls than a limit. What a call cost is the orchestrator's to say
// (`prices` of the agent); what has been spent is looked at before each call and counted after it.
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
import { numberIn, objectIn, stringIn } from '../guard/entry-state.ts';
import { refuse } from '../guard/report.ts';
import { responseOption } from '../guard/strategy-options.ts';
import type { GuardStore } from '../store/guard-store.ts';
import { createCostTotals, WINDOW_NAMES, type CostTotals } from './cost-totals.ts';

const options = z.strictObject({
  maxCost: z.number().positive().describe('in the unit of the agent’s `prices`: no call is made once this is spent'),
  scope: z
    .enum(['run', 'thread', 'resource', 'tenant'])
    .default('run')
    .describe('whose calls are added up; all but run are counted in Redis, over all agents with this scope and window'),
  window: z
    .enum(WINDOW_NAMES)
    .default('day')
    .describe('in which they are added up, by the calendar in UTC; a run is added up from its beginning'),
  strategy: z
    .enum(['block', 'warn'])
    .default('block')
    .describe('block: the run stops before the next call; warn: it goes on, and a violation says so'),
  warnAtPercent: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe('of maxCost: a violation says once in a run that so much is spent; 0: never'),
  reserve: z
    .number()
    .min(0)
    .default(0)
    .describe('what a call counts as from before it is made until its cost is told, and for good where that never is'),
  response: responseOption,
});
type Options = z.output<typeof options>;
type Guard = Options & { totals: CostTotals | undefined };

/**
 * What has been spent is looked at before each model call, and what the call cost is counted after it, once, however many replicas
 * are told of it and whoever drives the run. The agent needs `prices`; a model without one is not asked. With the scope `run` nothing
 * but the run's state is needed, all others need `REDIS_URL`: where Redis is away the entry's `onFailure` decides.
 *
 * @verdict continue: less than the limit is spent
 * @verdict abort: strategy block, the limit is reached
 * @verdict halt: strategy block, where `response` is set
 * @cannot Stop in the middle of a call: the one that crosses the limit is paid, and so are those that run beside it.
 * @cannot Know what a call that was cut off took where its provider never said it: it counts an estimate, by the length of the texts.
 * @cannot Count what guards and memories ask of models themselves.
 * @cannot Add up for a thread or resource that the run does not have: such a run has the limit to itself.
 * @example
 * prices:
 *   openai/gpt-5-mini: { input: 0.25, cachedInput: 0.025, output: 2 }
 * input:
 *   - use: cost-guard
 *     options: { maxCost: 5, scope: resource, window: day, warnAtPercent: 80, reserve: 0.02 }
 */
export const costGuard = (store: GuardStore): ProcessorDefinition =>
  defineProcessor({
    id: 'cost-guard',
    description: 'Limits what the model calls of a run, thread, resource or tenant cost.',
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
  const tell = (rule: string, message: string) =>
    args.onViolation({ message, rule, strategy, detail: { spent, maxCost, scope } });
  if (isOver) {
    const message = `The limit of the costs of a ${scope} is reached.`;
    if (strategy === 'block' || isNew(args, 'limited')) tell('cost-limit', message);
    return strategy === 'block' ? refuse(args, response, message, { rules: ['cost-limit'] }) : undefined;
  }
  const isNear = warnAtPercent > 0 && spent >= (maxCost * warnAtPercent) / 100;
  if (isNear && isNew(args, 'warned'))
    tell('cost-warning', `Over ${warnAtPercent} % of the costs of a ${scope} are spent.`);
  return undefined;
}

/**
 * What is spent, and what the call reserves of the rest in one step, so that of runs that begin at once no more go on than there is something
 * left for. What an earlier call of the run has reserved and never given back stays: that one was cut off.
 */
async function reserveCost(guard: Guard, args: CommonArgs): Promise<{ spent: number; isOver: boolean }> {
  const { totals, reserve, maxCost, strategy } = guard;
  const { run, state, abortSignal } = args;
  const number = numberIn(state, 'reservations');
  const limit = strategy === 'block' ? maxCost : undefined;
  const what = { run, id: `reserved:${run.runId}.${number}`, cost: reserve, limit };
  const counted = reserve > 0 ? await totals?.add(what, abortSignal) : undefined;
  const spent = counted?.others ?? (await spentBy(guard, args));
  const isOver = counted && limit !== undefined ? !counted.isCounted : spent >= maxCost;
  if (reserve > 0 && !(isOver && limit !== undefined)) {
    state['reservations'] = number + 1;
    state['reserved'] = { number, at: counted?.at ?? '' };
    state['spent'] = numberIn(state, 'spent') + reserve;
  }
  return { spent, isOver };
}

async function giveBack({ totals, reserve }: Guard, { run, state, abortSignal }: CommonArgs): Promise<void> {
  const reserved = objectIn(state, 'reserved');
  const [number, at] = [reserved['number'], stringIn(reserved, 'at')];
  delete state['reserved'];
  if (typeof number !== 'number') return;
  if (at !== '') await totals?.add({ run, id: `given-back:${run.runId}.${number}`, cost: -reserve, at }, abortSignal);
  state['spent'] = numberIn(state, 'spent') - reserve;
}

/** Of the run alone where it has no owner of that kind: nobody's costs are not free. */
async function spentBy({ totals }: Guard, { run, state, abortSignal }: CommonArgs): Promise<number> {
  return (await totals?.read(run, abortSignal)) ?? numberIn(state, 'spent');
}

function isNew({ state }: CommonArgs, what: string): boolean {
  if (state[what] === true) return false;
  state[what] = true;
  return true;
}

async function countCost(guard: Guard, args: ProcessLLMResponseArgs): Promise<void> {
  if (!args.fromCache) await countCall(guard, args);
  await giveBack(guard, args);
}

async function countCall({ totals }: Guard, args: ProcessLLMResponseArgs): Promise<void> {
  const { usage, run, state, stepNumber, modelCall, abortSignal } = args;
  const { cost } = usage;
  if (cost === undefined)
    throw new MillraceError('cost-unknown', `What a call of ${args.model} cost is not known.`, unknown);
  await totals?.add({ run, id: `call:${run.runId}.${stepNumber}.${modelCall}`, cost }, abortSignal);
  if (numberIn(state, 'counted') >= modelCall) return;
  state['counted'] = modelCall;
  state['spent'] = numberIn(state, 'spent') + cost;
}

const unknown = {
  remedy: 'Ask a model whose provider says how many tokens a call took, and give it a price in `prices` of the agent.',
};
