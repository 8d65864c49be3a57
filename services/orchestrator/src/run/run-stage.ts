// One stage of a run: its entries in order, neighbours merged, verdicts folded, the fold put into the run's state, one event.
// What a stage means for the run (go on, rewind, end) is said here, the same for all stages.
import {
  entriesOf,
  type JsonObject,
  type PlanEntry,
  type Stage,
  type StageInput,
  type VerdictOf,
} from '@millrace/contracts';
import { endWith, fail, type Interrupt, type Rejected } from './interrupt.ts';
import { mergeNeighbours } from './merge-neighbours.ts';
import { callProcessors } from './processor-client.ts';
import type { Run } from './run.ts';
import type { DataSink } from './ordered-sink.ts';
import { createStageData, type StageData } from './stage-data.ts';
import { emptyFold, foldVerdict, type Judged, type StageFold, type Stopped } from './stage-fold.ts';

export type StageResult = {
  /** The stage's input with everything applied that processors changed. */
  input: StageInput;
  /** The run does not go on straight. */
  interrupt?: Interrupt | undefined;
  /** Verdicts that only the stage's own statement can act on. */
  answer?: VerdictOf<'deny'> | VerdictOf<'respond'> | VerdictOf<'retry'>;
  by?: PlanEntry;
};

export async function runStage(
  run: Run,
  stage: Stage,
  input: StageInput,
  sink: DataSink,
  subject?: string,
): Promise<StageResult> {
  const entries = entriesOf(run.plan, stage);
  if (entries.length === 0) return { input };
  const started = performance.now();
  const data = createStageData(run, sink);
  const fold = await foldStage(run, stage, entries, input, data);
  if (fold.ops.length > 0) run.dispatch({ action: 'messages-changed', ops: fold.ops });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  run.events.record({
    event: 'stage',
    stage,
    step: run.state().steps.length,
    ms: performance.now() - started,
    entries: fold.outcomes,
    ...(subject !== undefined && { subject }),
  });
  const stopped = await data.settle();
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
  let rest = entries;
  while (rest.length > 0 && !fold.stopped && !run.signal.aborted) {
    const [group = []] = mergeNeighbours(rest, run.deps.discovery);
    const judged = await callProcessors(run, group, {
      stage,
      input: fold.input,
      onData: (chunks) => data.write(chunks, group),
    });
    if (run.signal.aborted) break;
    const next = foldGroup(stage, fold, judged);
    lendBack(run, fold, next);
    data.write(next.data.slice(fold.data.length), []);
    // A replica may have answered for fewer: the rest is asked for again.
    rest = rest.slice(next.outcomes.length - fold.outcomes.length);
    fold = next;
    if (await data.settle()) break;
  }
  return fold;
}

/**
 * Up to the first that stops the stage, or whose verdict cannot be taken as it was given: what came behind that one was judged on
 * changes that do not count, and is asked for again.
 */
function foldGroup(stage: Stage, fold: StageFold, judged: readonly Judged[]): StageFold {
  let next = fold;
  for (const one of judged) {
    next = foldVerdict(stage, next, one);
    const refused = one.verdict.type !== 'failure' && next.outcomes.at(-1)?.verdict === 'failure';
    if (next.stopped || refused) break;
  }
  return next;
}

/** A state comes back with the verdict, not with the end of the stage: chunks in between may pass the same entry. */
function lendBack(run: Run, before: StageFold, after: StageFold): void {
  const isNew = ([entry, state]: [string, JsonObject]) => before.states[entry] !== state;
  const states = Object.fromEntries(Object.entries(after.states).filter(isNew));
  if (Object.keys(states).length > 0) run.dispatch({ action: 'states-changed', states });
}

function meaning(run: Run, stage: Stage, { input, stopped }: StageFold): StageResult {
  if (!stopped) return { input };
  const { entry, verdict } = stopped;
  if (verdict.type === 'deny' || verdict.type === 'respond' || verdict.type === 'retry')
    return { input, answer: verdict, by: entry };
  return { input, interrupt: stopMeans(run, stage, stopped), by: entry };
}

/** What a verdict that stops means for the run. The same in a stage call and in the output stream. */
export function stopMeans(run: Run, stage: Stage, { entry, verdict }: Stopped): Interrupt {
  const rejecting = { rejected: rejectedBy(run, stage) };
  switch (verdict.type) {
    case 'abort':
      return aborted(run, stage, entry, verdict);
    case 'halt':
      return endWith({
        form: 'halt',
        response: verdict.response,
        reason: verdict.reason,
        processorId: entry.entry,
        answered: hasAnswered(run, stage),
        ...rejecting,
      });
    case 'failure': {
      const message = `${verdict.message} (${stage})`;
      const error = { code: verdict.code, message, path: `${stage}/${entry.entry}`, remedy: remedyFor(entry) };
      return fail(error, { chainBroken: stage === 'processOutputStream', ...rejecting });
    }
    default:
      return fail({ code: 'internal', message: `${stage} cannot act on the verdict "${verdict.type}".` });
  }
}

/**
 * Which published chunks a stage rejects when it stops the run. The output stream rejects before anything is published;
 * stages after it reject their step, the last one everything behind `start`. Source: semantics.md, section 6, point 3.
 */
const REJECTS: Partial<Record<Stage, 'step' | 'run'>> = {
  processLLMResponse: 'step',
  processOutputStep: 'step',
  processToolCall: 'step',
  processToolResult: 'step',
  processOutputResult: 'run',
};
const AFTER_START = 1;

function rejectedBy(run: Run, stage: Stage): Rejected | undefined {
  const what = REJECTS[stage];
  if (what === undefined) return undefined;
  return { what, from: what === 'run' ? AFTER_START : (run.state().open?.firstIndex ?? run.chunks.nextIndex()) };
}

function aborted(run: Run, stage: Stage, entry: PlanEntry, verdict: VerdictOf<'abort'>): Interrupt {
  const { retryCount, inputPassed } = run.state();
  if (verdict.retry && retryCount < maxRetries(run)) {
    return { kind: 'rewind', to: inputPassed ? 'step' : 'input', feedback: verdict.reason };
  }
  const { reason, retry, metadata } = verdict;
  const tripwire = {
    reason,
    ...(retry && { retry }),
    ...(metadata !== undefined && { metadata }),
    processorId: entry.entry,
  };
  return endWith({ form: 'tripwire', tripwire, rejected: rejectedBy(run, stage) });
}

/** Whether a model has answered when a stage halts: the answer that is being judged counts, though it is not accepted yet. */
function hasAnswered(run: Run, stage: Stage): boolean {
  const { answered, modelCalls } = run.state();
  return answered || REJECTS[stage] !== undefined || (stage === 'processOutputStream' && modelCalls > 0);
}

/** Unset: a retry is an abort; 10 where the agent has error processors. Source: semantics.md, section 3. */
const RETRIES_WITH_ERROR_PROCESSORS = 10;
export function maxRetries(run: Run): number {
  return (
    run.agent.maxProcessorRetries ??
    (entriesOf(run.plan, 'processAPIError').length > 0 ? RETRIES_WITH_ERROR_PROCESSORS : 0)
  );
}

function remedyFor({ entry, processor, service }: PlanEntry): string {
  return `Start a replica of ${service} that serves ${processor}, or set onFailure: skip on "${entry}".`;
}
