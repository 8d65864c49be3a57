// Passes chunks outside the model's stream (tool results, a tool's progress, finish) through the same processors as a
// batch: no session is kept, the open request carries the chunks and its reply the output and the state.
import {
  findReadsAt,
  listEntries,
  passesChain,
  splitSegments,
  type Chunk,
  type PlanEntry,
  type StageInput,
  type Trust,
} from '@millrace/contracts';
import { askWithPolicy, type AskTarget, type CallOutcome, type CallTarget } from '../calls/ask-with-policy.ts';
import { guardOnce, type GuardedBatch } from './guard-batch.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { makeMessageChunks } from '../transcript/message-chunks.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import { countProcessorCalls } from '../state/count-calls.ts';
import type { Run } from '../state/run-context.ts';
import { readChunksTrust } from '../state/run-labels.ts';
import { createFold, foldReported, foldVerdict, judge, type StageFold } from '../calls/verdict-fold.ts';
import { observeChunks } from './observe.ts';
import { stopOutcome } from '../calls/stop-outcome.ts';

const stage = 'processOutputStream';

/** `stored`: the chunks at memory's position, if an entry of the stage follows memory. */
export type GuardedChunks = {
  chunks: readonly Chunk[];
  interrupt?: Interrupt | undefined;
  stored?: readonly Chunk[] | undefined;
};

/** Accepts only chunks that pass the output chain. Does not publish. @param step number of their step; the last one if absent */
export async function guardChunks(run: Run, chunks: readonly Chunk[], step?: number): Promise<GuardedChunks> {
  if (!chunks.every(passesChain)) throw new Error('the chunk does not pass the output chain');
  const entries = listEntries(run.plan, stage);
  const numbered = { ...buildStreamInput(run), ...(step !== undefined && { stepNumber: step }) };
  const readsParts = entries.some(({ reads }) => findReadsAt(reads, stage).includes('chunks'));
  const input = { ...numbered, ...(readsParts && { chunks: listStepParts(run, numbered.stepNumber) }) };
  if (entries.length === 0 || chunks.length === 0) return { chunks };
  const started = performance.now();
  let fold = createFold(input);
  let passed = chunks;
  const ask = (group: PlanEntry[], to: CallTarget) => guardOnce(run, group, to, passed, input);
  let stored: readonly Chunk[] | undefined;
  const onSegment: SegmentEvents = {
    observe: (entry) => observeChunks(run, entry, passed, input),
    store: () => void (stored ??= passed),
  };
  for await (const outcome of askSegments(run, entries, ask, onSegment)) {
    if ('failure' in outcome) {
      // A skipped processor passes its input unchanged.
      const { entry, failure, ...rest } = outcome;
      fold = foldVerdict(fold, { ...judge(stage, input, entry, failure), ...rest });
    } else {
      const { answer, attempts, entries: asked } = outcome;
      recordChanges(run, input.stepNumber, asked, answer, passed);
      for (const judged of answer.judged) fold = foldVerdict(fold, { ...judged, attempts });
      for (const reported of answer.reported ?? []) fold = foldReported(fold, { ...reported, attempts });
      passed = answer.chunks;
    }
    if (fold.stopped) break;
  }
  applyFold(run, fold, performance.now() - started, readChunksTrust(run.getState(), chunks));
  const interrupt = run.checkInterruption() ?? (fold.stopped ? stopOutcome(run, stage, fold.stopped) : undefined);
  return { chunks: passed, interrupt, stored };
}

/** `store`: the chunks are at memory's position. */
type SegmentEvents = { observe: (entry: PlanEntry) => void; store: () => void };

/** Observers receive the chunks that have passed the entries before them. */
async function* askSegments(
  run: Run,
  entries: readonly PlanEntry[],
  ask: AskTarget<GuardedBatch>,
  { observe, store }: SegmentEvents,
): AsyncGenerator<CallOutcome<GuardedBatch>, void, void> {
  for (const segment of splitSegments(run.plan, stage, entries)) {
    // Observers must not see chunks that have not passed the entries before them.
    if (run.signal.aborted) return;
    if (segment.followsMemory) store();
    if (segment.observes) segment.entries.forEach(observe);
    else for (const group of groupRequests(run, segment.entries)) yield* askWithPolicy(run, group, ask, { stage });
  }
}

/** Each entry has a request of its own if its changes are recorded. */
const groupRequests = (run: Run, entries: readonly PlanEntry[]): (readonly PlanEntry[])[] =>
  run.changes ? entries.map((entry) => [entry]) : [entries];

function recordChanges(
  run: Run,
  step: number,
  [entry]: readonly PlanEntry[],
  { judged: [judged], chunks }: GuardedBatch,
  given: readonly Chunk[],
): void {
  if (entry && judged) run.changes?.addBatch(step, entry.entry, judged.verdict, given, chunks);
}

/** Passes one batch after the other through the output chain and publishes it. */
export function sendChunks(run: Run, chunks: readonly Chunk[]): Promise<Interrupt | undefined> {
  return run.serialize(async () => {
    const { chunks: passed, interrupt } = await guardChunks(run, chunks);
    if (!interrupt) publishOutside(run, passed);
    return interrupt;
  });
}

/** Publishes chunks outside of an answer. A text that a processor adds there belongs to no answer. */
export function publishOutside(run: Run, chunks: readonly Chunk[]): void {
  if (chunks.some(({ type }) => type === 'text-delta')) run.dispatch({ action: 'stream-differed' });
  run.transcript.append(chunks);
}

/** Maximum length of the parts as JSON, in UTF-16 code units; the oldest are omitted. */
const MAX_PARTS_CHARS = 256 * 1024;

/** Returns the chunks of the step's answer before a batch: each part of it as a whole. */
function listStepParts({ ref: { runId }, getState }: Run, stepNumber: number): Chunk[] {
  const { conversation } = getState();
  const id = buildResponseMessageId(runId, stepNumber);
  const parts = conversation.entries.flatMap(({ message }) =>
    message.id === id ? makeMessageChunks(runId, message) : [],
  );
  let left = MAX_PARTS_CHARS;
  const first = parts.findLastIndex((part) => (left -= JSON.stringify(part).length) < 0);
  return parts.slice(first + 1);
}

/** Builds the input of the output stream's processors. */
export function buildStreamInput(run: Run): StageInput {
  const { conversation, retryCount, steps, open } = run.getState();
  const stepNumber = open?.closed ? steps.length - 1 : steps.length;
  return { retryCount, stepNumber: Math.max(stepNumber, 0), conversation };
}

/**
 * Applies the results of the output stream's processors: states, violations, one event. @param trust lowest trust of the
 * chunks: an entry that returns a state may keep them
 */
export function applyFold(run: Run, fold: StageFold, ms: number, trust: Trust): void {
  if (Object.keys(fold.states).length > 0) run.dispatch({ action: 'states-changed', states: fold.states });
  const keepers = Object.entries(fold.states).flatMap(([entry, state]) => (Object.keys(state).length > 0 ? entry : []));
  if (trust === 'untrusted' && keepers.length > 0)
    run.dispatch({ action: 'taint-found', entries: keepers, origins: [] });
  if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
  countProcessorCalls(run, fold.usage);
  if (fold.outcomes.length === 0) return;
  run.events.record({ event: 'stage', stage, step: run.getState().steps.length, ms, entries: fold.outcomes });
}
