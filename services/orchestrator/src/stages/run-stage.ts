// One stage of a run: its entries in order, verdicts folded, the fold put into the run's state, one event.
import {
  entriesOf,
  type JsonObject,
  type PlanEntry,
  type Stage,
  type StageInput,
  type VerdictOf,
} from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import { callProcessors } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import { createStageData, dataSink, type StageData } from './custom-chunks.ts';
import type { DataSink } from './ordered-sink.ts';
import { emptyFold, foldVerdict, type StageFold } from './verdict-fold.ts';
import { stopOutcome } from './stop-outcome.ts';

export type StageResult = {
  /** The stage's input with everything applied that processors changed. */
  input: StageInput;
  /** The run does not go on straight. */
  interrupt?: Interrupt | undefined;
  /** Verdicts that only the stage's own statement can act on. */
  answer?: VerdictOf<'deny'> | VerdictOf<'respond'> | VerdictOf<'retry'>;
  by?: PlanEntry;
};

export type StageOptions = {
  /** What the stage is about, for its event: a tool's name. */
  subject?: string;
  /** Where custom chunks go. */
  sink?: DataSink;
};

export async function runStage(
  run: Run,
  stage: Stage,
  input: StageInput,
  { subject, sink = dataSink(run) }: StageOptions = {},
): Promise<StageResult> {
  const entries = entriesOf(run.plan, stage);
  if (entries.length === 0) return { input };
  const started = performance.now();
  const data = createStageData(run, sink);
  const fold = await foldStage(run, stage, entries, input, data);
  if (fold.ops.length > 0) run.dispatch({ action: 'messages-changed', ops: fold.ops, unpassed: true });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  run.events.record({
    event: 'stage',
    stage,
    step: run.state().steps.length,
    ms: performance.now() - started,
    entries: fold.outcomes,
    ...(subject !== undefined && { subject }),
  });
  const stopped = await data.flush();
  const interrupt = run.interruption();
  if (interrupt) return { input: fold.input, interrupt };
  const result = meaning(run, stage, fold);
  // What stopped the stage came before what its chunks met on their way.
  return stopped && !result.interrupt ? { input: fold.input, interrupt: stopped } : result;
}

async function foldStage(
  run: Run,
  stage: Stage,
  entries: PlanEntry[],
  input: StageInput,
  data: StageData,
): Promise<StageFold> {
  let fold = emptyFold(input);
  for await (const judged of callProcessors(run, entries, { stage, input, onData: data.write })) {
    if (run.signal.aborted) break;
    const next = foldVerdict(fold, judged);
    returnStates(run, fold, next);
    data.write(next.data.slice(fold.data.length), []);
    fold = next;
    if (fold.stopped || (await data.flush())) break;
  }
  return fold;
}

/** A state comes back with the verdict, not with the end of the stage: chunks in between may pass the same entry. */
function returnStates(run: Run, before: StageFold, after: StageFold): void {
  const isNew = ([entry, state]: [string, JsonObject]) => before.states[entry] !== state;
  const states = Object.fromEntries(Object.entries(after.states).filter(isNew));
  if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
}

function meaning(run: Run, stage: Stage, { input, stopped }: StageFold): StageResult {
  if (!stopped) return { input };
  const { entry, verdict } = stopped;
  if (verdict.type === 'deny' || verdict.type === 'respond' || verdict.type === 'retry')
    return { input, answer: verdict, by: entry };
  return { input, interrupt: stopOutcome(run, stage, stopped), by: entry };
}
