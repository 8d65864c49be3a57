// A model call whose answer comes to nobody was paid all the same: processors that say `processCutOff` are told of it in
// processLLMResponse. They may be told twice of one call: it has a number.
import { entriesOf, type PlanEntry, type StageInput, type Usage } from '@millrace/contracts';
import { runStage } from '../stages/run-stage.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { isGivenAway } from '../state/run-stop.ts';
import type { Run } from '../state/run-context.ts';
import { shieldRun } from '../state/shield-run.ts';

const stage = 'processLLMResponse';
/** How long telling may take in a run that is stopped, ms: what processors have let through was waited for before. */
const TOLD_WITHIN_MS = 400;

type CutOff = {
  model: string;
  usage: Usage;
  /** Who stopped the answer in that stage: those before have been told of it. */
  by?: PlanEntry | undefined;
};

/** What they stop a run with that would go on. A run that is stopped stays so. */
export async function tellCutOff(
  run: Run,
  { conversation: _, ...input }: StageInput,
  { model, usage, by }: CutOff,
): Promise<Interrupt | undefined> {
  const all = entriesOf(run.plan, stage);
  const left = all.slice(by ? all.findIndex(({ entry }) => entry === by.entry) + 1 : 0);
  const told = left.filter(({ processCutOff, observe }) => processCutOff && !observe);
  if (told.length === 0 || isGivenAway(run.signal)) return undefined;
  const shield = shieldRun(run, { graceMs: TOLD_WITHIN_MS, evenStopped: true });
  const order = { ...run.plan.order, [stage]: told.map(({ entry }) => entry) };
  const part: Run = {
    ...shield.run,
    plan: { ...run.plan, order },
    deadlineAt: Math.max(run.deadlineAt, performance.now() + TOLD_WITHIN_MS),
    // Whatever that checkpoint came to: this is not judged after it.
    saved: async () => undefined,
  };
  try {
    const { steps, modelCalls } = run.state();
    const call = { steps, model, chunks: [], fromCache: false, warnings: [], finishReason: 'other', usage };
    return (await runStage(part, stage, { ...input, ...call, modelCall: modelCalls, cutOff: true })).interrupt;
  } finally {
    shield.release();
  }
}
