// Decides what a reader of a run does after a live batch, a replay or a failed request: it passes chunks, waits, or ends.
// Pure: chunk-reader.ts listens, requests and sets the timer.
import { MillraceError } from '@millrace/contracts';
import {
  hasGap,
  mergeLive,
  mergeReplay,
  type ChunkMerge,
  type MergedChunks,
  type PositionedChunk,
} from './chunk-merge.ts';
import type { ReceivedBatch, ReplayAnswer } from './chunk-source.ts';
import { createOverdueError } from './run-result.ts';
import { hasEnded, isTemporary, waitAfterAnswer, waitAfterFailure, type ReplayLimits } from './replay-pace.ts';

export type ReaderState = {
  merge: ChunkMerge;
  /** Number of consecutive replies without new chunks. */
  empty: number;
  /** Number of consecutive requests that failed. */
  failures: number;
  /** The reader has started after the run: chunks that are being logged are in neither source yet. */
  isCatchingUp: boolean;
  /** Time since which missing chunks have been overdue, ms. Absent: none is. */
  stalledAt?: number | undefined;
};

export type ReaderStep = {
  state: ReaderState;
  /** Chunks for the readers. */
  chunks: readonly PositionedChunk[];
  /** ms until the next request; `again`: the time of the last wait, from now on. */
  wait?: number | 'again' | undefined;
  /** The reading ends: with the run, or with an error. */
  ended?: { error?: MillraceError };
};

export const startReading = (merge: ChunkMerge, isCatchingUp: boolean): ReaderState => ({
  merge,
  empty: 0,
  failures: 0,
  isCatchingUp,
});

export function receiveLive(state: ReaderState, batch: ReceivedBatch, limits: ReplayLimits): ReaderStep {
  const hadGap = hasGap(state.merge);
  const step = applyMerged(state, mergeLive(state.merge, batch));
  if (step.ended) return step;
  const { merge } = step.state;
  // Most batches have no transient chunks, and are passed without a copy.
  const chunks = batch.transient ? [...step.chunks, ...positionTransient(merge, batch)] : step.chunks;
  if (hadGap) return { ...step, chunks, wait: hasGap(merge) ? undefined : limits.silenceMs };
  if (!hasGap(merge)) return { ...step, chunks, wait: 'again' };
  return { state: { ...step.state, empty: 0 }, chunks, wait: 0 };
}

/** @param now ms */
export function receiveReplay(state: ReaderState, answer: ReplayAnswer, now: number, limits: ReplayLimits): ReaderStep {
  const { status } = answer;
  const step = applyMerged(state, mergeReplay(state.merge, answer));
  if (step.ended) return step;
  const { chunks } = step;
  const moved = chunks.length > 0;
  // The log is read to its end, and contains nothing from that position on: the reader rejoined after the last chunk.
  if (!moved && answer.complete && hasEnded(status)) return { ...step, ended: {} };
  const empty = moved ? 0 : state.empty + 1;
  const isCatchingUp = state.isCatchingUp && empty < 2;
  const stalledAt = moved || !hasEnded(status) ? undefined : (step.state.stalledAt ?? now);
  const next = { ...step.state, failures: 0, empty, isCatchingUp, stalledAt };
  const overdue = moved ? undefined : createOverdueError(status, answer.remainingMs);
  if (overdue) return endReading(next, overdue);
  if (isStalled(next, now, limits.giveUpMs)) return endReading(next, createCutOffError());
  const gap = hasGap(next.merge);
  return {
    state: next,
    chunks,
    wait: waitAfterAnswer({ status, moved, gap, catchingUp: isCatchingUp, empty }, limits),
  };
}

/** @param unknownForMs time for which the run may be unknown */
export function receiveFailure(
  state: ReaderState,
  error: MillraceError,
  now: number,
  { unknownForMs, limits }: { unknownForMs: number; limits: ReplayLimits },
): ReaderStep {
  const boundMs = error.code === 'run-unknown' ? unknownForMs : isTemporary(error) ? limits.giveUpMs : 0;
  const failures = state.failures + 1;
  const next = { ...state, failures, stalledAt: state.stalledAt ?? now };
  if (isStalled(next, now, boundMs)) return endReading(next, error);
  return { state: next, chunks: [], wait: waitAfterFailure(failures, limits) };
}

const isStalled = ({ stalledAt }: ReaderState, now: number, boundMs: number): boolean =>
  stalledAt !== undefined && now - stalledAt >= boundMs;

function applyMerged(state: ReaderState, { merge, accepted: chunks }: MergedChunks): ReaderStep {
  const next = chunks.length > 0 ? { ...state, merge, stalledAt: undefined } : { ...state, merge };
  return { state: next, chunks, ...(merge.ended && { ended: {} }) };
}

const endReading = (state: ReaderState, error: MillraceError): ReaderStep => ({ state, chunks: [], ended: { error } });

/**
 * Positions chunks without an index at the preceding chunk: a reader that resumes there misses no stored chunk. Chunks
 * of a replaced owner are dropped.
 */
function positionTransient({ next }: ChunkMerge, { epoch, transient = [] }: ReceivedBatch): PositionedChunk[] {
  if (epoch < next.epoch) return [];
  return transient.map((chunk) => ({ epoch: next.epoch, index: next.index - 1, chunk }));
}

function createCutOffError(): MillraceError {
  return new MillraceError('chunks-gone', 'The run has ended, but its last chunks have expired.', {
    remedy: 'Request its result: it is stored longer than the chunks.',
  });
}
