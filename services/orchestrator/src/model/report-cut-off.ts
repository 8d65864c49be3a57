// Reports a model call with a dropped answer but was paid for: processors with `processCutOff` receive it in
// processLLMResponse. They may receive one call twice: it has a number.
import { listEntries, type PlanEntry, type StageInput, type Usage } from '@millrace/contracts';
import { runStage } from '../stages/run-stage.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { isGivenAway } from '../state/run-stop.ts';
import type { Run } from '../state/run-context.ts';
import { shieldRun } from '../state/shield-run.ts';

const stage = 'processLLMResponse';
/** Grace period of the report in a stopped run, ms: the run has waited for its processors' output before. */
const TOLD_WITHIN_MS = 400;

type CutOff = {
  model: string;
  usage: Usage;
  /** The entry that stopped the answer in that stage: entries before it have received the report. */
  by?: PlanEntry | undefined;
};

/** Returns the interrupt of an entry that stops a run which would otherwise continue. A stopped run stays stopped. */
export async function reportCutOff(
  run: Run,
  { conversation: _, ...input }: StageInput,
  { model, usage, by }: CutOff,
): Promise<Interrupt | undefined> {
  const all = listEntries(run.plan, stage);
  const left = all.slice(by ? all.findIndex(({ entry }) => entry === by.entry) + 1 : 0);
  const notified = left.filter(({ processCutOff, observe }) => processCutOff && !observe);
  if (notified.length === 0 || isGivenAway(run.signal)) return undefined;
  const shield = shieldRun(run, { graceMs: TOLD_WITHIN_MS, evenStopped: true });
  const order = { ...run.plan.order, [stage]: notified.map(({ entry }) => entry) };
  const part: Run = {
    ...shield.run,
    plan: { ...run.plan, order },
    deadlineAt: Math.max(run.deadlineAt, performance.now() + TOLD_WITHIN_MS),
    // The outcome of that checkpoint does not matter: no stage follows.
    awaitCheckpoint: async () => undefined,
  };
  try {
    const { steps, modelCalls } = run.getState();
    const call = { steps, model, chunks: [], fromCache: false, warnings: [], finishReason: 'other', usage };
    return (await runStage(part, stage, { ...input, ...call, modelCall: modelCalls, cutOff: true })).interrupt;
  } finally {
    shield.release();
  }
}
