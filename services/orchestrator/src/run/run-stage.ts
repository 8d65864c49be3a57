// One stage of a run: its entries in order, neighbours merged, verdicts folded, the fold put into the run's state, one event.
// What a stage means for the run (go on, rewind, end) is said here, the same for all stages.
import {
  entriesOf,
  type Chunk,
  type PlanEntry,
  type Stage,
  type StageInput,
  type VerdictOf,
} from '@millrace/contracts';
import { endWith, fail, type Interrupt } from './interrupt.ts';
import { mergeNeighbours } from './merge-neighbours.ts';
import { callProcessors } from './processor-client.ts';
import type { Run } from './run.ts';
import { emptyFold, foldVerdict, type StageFold, type Stopped } from './stage-fold.ts';

/** Where the stage's custom chunks go. Given by the caller, because they pass the output stream's processors. */
export type DataSink = (chunks: Chunk[]) => Promise<Interrupt | undefined>;

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
  const fold = await foldStage(run, stage, entries, input, sink);
  if (fold.ops.length > 0) run.dispatch({ action: 'messages-changed', ops: fold.ops });
  if (Object.keys(fold.states).length > 0) run.dispatch({ action: 'states-changed', states: fold.states });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  run.events.record({
    event: 'stage',
    stage,
    step: run.state().steps.length,
    ms: performance.now() - started,
    entries: fold.outcomes,
    ...(subject !== undefined && { subject }),
  });
  const data = fold.data.length > 0 ? await sink(fold.data) : undefined;
  const interrupt = run.interruption() ?? data;
  return interrupt ? { input: fold.input, interrupt } : meaning(run, stage, fold);
}

async function foldStage(
  run: Run,
  stage: Stage,
  entries: PlanEntry[],
  input: StageInput,
  sink: DataSink,
): Promise<StageFold> {
  let fold = emptyFold(input);
  let rest = entries;
  const onData = (chunks: Chunk[]) => void sink(chunks);
  while (rest.length > 0 && !fold.stopped && !run.signal.aborted) {
    const [group = []] = mergeNeighbours(rest, run.deps.discovery);
    const judged = await callProcessors(run, group, { stage, input: fold.input, onData });
    if (run.signal.aborted) break;
    for (const one of judged) fold = foldVerdict(stage, fold, one);
    // A replica may have answered for fewer: the rest is asked for again.
    rest = rest.slice(judged.length);
  }
  return fold;
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
  const rejecting = { retractFrom: rejectedFrom(run, stage) };
  switch (verdict.type) {
    case 'abort':
      return aborted(run, stage, entry, verdict);
    case 'halt':
      return endWith({
        form: 'halt',
        response: verdict.response,
        reason: verdict.reason,
        processorId: entry.entry,
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

function rejectedFrom(run: Run, stage: Stage): number | undefined {
  if (REJECTS[stage] === 'run') return AFTER_START;
  return REJECTS[stage] === 'step' ? run.state().open?.firstIndex : undefined;
}

function aborted(run: Run, stage: Stage, entry: PlanEntry, verdict: VerdictOf<'abort'>): Interrupt {
  const { retryCount } = run.state();
  if (verdict.retry && retryCount < maxRetries(run)) {
    return { kind: 'rewind', to: stage === 'processInput' ? 'input' : 'step', feedback: verdict.reason };
  }
  const { reason, retry, metadata } = verdict;
  const tripwire = {
    reason,
    ...(retry && { retry }),
    ...(metadata !== undefined && { metadata }),
    processorId: entry.entry,
  };
  return endWith({ form: 'tripwire', tripwire, retractFrom: rejectedFrom(run, stage) });
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
