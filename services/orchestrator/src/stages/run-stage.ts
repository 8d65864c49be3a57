// Runs one stage: its entries in order, verdicts folded, the fold applied to the run's state, one event.
import {
  listEntries,
  splitSegments,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { isSuspension, type Interrupt } from '../state/interrupt.ts';
import { callProcessors, type StageRequest } from '../calls/call-processors.ts';
import { foldGroup, keep, type Folding, recordPassedFiles, recordTaint } from './fold-group.ts';
import { startOverlapGroup } from './overlap-group.ts';
import { observeStage } from '../sessions/observe.ts';
import { withStoredTexts } from '../state/stored-texts.ts';
import { resumePoint, suspendStage, withKept } from './suspend-stage.ts';
import type { Run } from '../state/run-context.ts';
import { createStageData, createDataSink, type StageData } from '../sessions/custom-chunks.ts';
import type { DataSink } from '../calls/ordered-sink.ts';
import { createFold, type JudgedEntry, type StageFold } from '../calls/verdict-fold.ts';
import { stopOutcome } from '../calls/stop-outcome.ts';

export type StageOptions = {
  /** Subject of the stage in its event: a tool's name. */
  subject?: string;
  /** Position of the tool call in its answer. */
  position?: number;
  /** Members of the input that an operator has changed: a suspension keeps them. */
  changed?: Pick<StageInput, 'toolCall'>;
  /** Receives custom chunks. */
  sink?: DataSink;
  /** Receives each verdict, in the order of the entries. */
  onJudged?: ((judged: JudgedEntry) => void) | undefined;
};

/** Verdicts that only the statement which runs the stage can handle. */
const LEFT_TO_STATEMENT: ReadonlySet<Verdict['type']> = new Set(['deny', 'respond', 'retry']);

/**
 * Calls the entries of the stage and returns the fold of their verdicts. A verdict of LEFT_TO_STATEMENT
 * sets `stopped` without an `interrupt`.
 */
export async function runStage(
  run: Run,
  stage: Stage,
  input: StageInput,
  { subject, position, changed, sink = createDataSink(run), onJudged }: StageOptions = {},
): Promise<StageFold> {
  const all = listEntries(run.plan, stage);
  if (all.length === 0) return createFold(input);
  const unsaved = await run.awaitCheckpoint();
  if (unsaved) return { ...createFold(input), interrupt: unsaved };
  const point = await resumePoint(run, stage, position);
  if (point && 'interrupt' in point) return { ...createFold(input), interrupt: point.interrupt };
  const started = performance.now();
  const data = createStageData(run, sink);
  const entries = point && !point.isEdited ? sliceFromEntry(all, point.resumed.entry) : all;
  const kept = point?.kept ?? changed;
  const judged: JudgedEntry[] | undefined = run.changes && [];
  const request = {
    stage,
    input: kept ? withKept(input, kept) : input,
    resumed: point?.resumed,
    onJudged: judged ? addTo(judged, onJudged) : onJudged,
  };
  const fold = await foldStage(run, entries, request, data);
  if (fold.ops.length > 0) run.dispatch({ action: 'messages-changed', ops: fold.ops, unpassed: true });
  recordTaint(run, fold);
  recordPassedFiles(run, fold);
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  if (entries.some(({ observe }) => !observe)) {
    const ms = performance.now() - started;
    const details = { ms, entries: fold.outcomes, ...(subject !== undefined && { subject }) };
    run.events.record({ event: 'stage', stage, step: run.getState().steps.length, ...details });
  }
  if (judged) run.changes?.addStage(stage, run.getState().steps.length, request.input, judged);
  const stopped = await data.flush();
  const interrupt = run.checkInterruption();
  if (interrupt) return interruptStage(fold, interrupt);
  if (fold.stopped?.verdict.type === 'suspend')
    suspendStage(run, { stage, position, given: input, left: fold.input }, fold.stopped);
  else if (point) run.dispatch({ action: 'pending-settled', id: point.id });
  const stop = fold.stopped && !LEFT_TO_STATEMENT.has(fold.stopped.verdict.type) ? fold.stopped : undefined;
  const result: StageFold = stop ? { ...fold, interrupt: stopOutcome(run, stage, stop) } : fold;
  // The reason for which the stage stopped precedes the interrupts of its chunks. But a run that ends is not suspended.
  const continues = !result.interrupt || isSuspension(result.interrupt);
  return stopped && continues ? interruptStage(fold, stopped) : result;
}

/** Adds an interrupt that no verdict of the stage has caused. */
function interruptStage({ stopped: _, ...fold }: StageFold, interrupt: Interrupt): StageFold {
  return { ...fold, interrupt };
}

const addTo =
  (all: JudgedEntry[], onJudged: StageOptions['onJudged']): StageOptions['onJudged'] =>
  (judged) => {
    all.push(judged);
    onJudged?.(judged);
  };

function sliceFromEntry(entries: PlanEntry[], name: string): PlanEntry[] {
  const at = entries.findIndex(({ entry }) => entry === name);
  return at < 0 ? entries : entries.slice(at);
}

async function foldStage(
  run: Run,
  entries: PlanEntry[],
  { stage, input, resumed, onJudged }: Omit<StageRequest, 'receiveData'> & Pick<StageOptions, 'onJudged'>,
  data: StageData,
): Promise<StageFold> {
  let fold = createFold(input);
  for (const segment of splitSegments(run.plan, stage, entries)) {
    if (segment.observes) {
      for (const entry of segment.entries) observeStage(run, entry, stage, fold.input);
      continue;
    }
    if (segment.group?.overlap && stage === 'processInput') {
      startOverlapGroup(run, segment.entries, fold.input);
      continue;
    }
    const request = { stage, input: fold.input, resumed, receiveData: data.write };
    fold = segment.group
      ? await foldGroup(run, segment.entries, request, { fold, data }, onJudged)
      : await foldAtMemory(run, segment.entries, request, { fold, data }, onJudged);
    if (run.signal.aborted || fold.stopped || (await data.flush())) break;
  }
  return fold;
}

/** Memories receive the answers as they were at their position, and the other entries the readers' answers. */
async function foldAtMemory(
  run: Run,
  entries: PlanEntry[],
  request: StageRequest,
  { fold: before, data }: Folding,
  onJudged: StageOptions['onJudged'],
): Promise<StageFold> {
  const { stored } = run.getState();
  const isSame = request.stage !== 'processOutputResult' || Object.keys(stored).length === 0;
  if (isSame) return foldEntries(run, entries, request, { fold: before, data }, onJudged);
  let fold = before;
  for (const part of splitAtMemories(entries)) {
    const { conversation } = fold.input;
    const isMemory = part.some(({ memory }) => memory);
    const own = isMemory && conversation ? withStoredTexts(run.plan, conversation, stored) : conversation;
    const given = { ...fold.input, ...(own && { conversation: own }) };
    fold = await foldEntries(
      run,
      part,
      { ...request, input: given },
      { fold: { ...fold, input: given }, data },
      onJudged,
    );
    if (fold.input.conversation === own)
      fold = { ...fold, input: { ...fold.input, ...(conversation && { conversation }) } };
    if (run.signal.aborted || fold.stopped) break;
  }
  return fold;
}

function splitAtMemories(entries: readonly PlanEntry[]): PlanEntry[][] {
  const parts: PlanEntry[][] = [];
  for (const entry of entries) {
    const last = parts.at(-1);
    if (last?.[0]?.memory === entry.memory) last.push(entry);
    else parts.push([entry]);
  }
  return parts;
}

async function foldEntries(
  run: Run,
  entries: PlanEntry[],
  request: StageRequest,
  { fold: before, data }: Folding,
  onJudged: StageOptions['onJudged'],
) {
  let fold = before;
  for await (const judged of callProcessors(run, entries, request)) {
    if (run.signal.aborted) break;
    onJudged?.(judged);
    fold = keep(run, fold, judged, data, []);
    if (fold.stopped || (await data.flush())) break;
  }
  return fold;
}
