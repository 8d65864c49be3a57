// Records a step's stream: the raw chunks that entered its processors, and the published output. Kept so that lost
// sessions can be opened again on another replica, and bounded: a step above the bounds cannot be moved.
import type { Chunk } from '@millrace/contracts';
import { readTextPiece } from '../transcript/text-pieces.ts';

/** A long answer with long reasoning has some 20,000 pieces. */
const MAX_KEPT_CHUNKS = 32 * 1024;
/** Approximate, without serializing text: characters plus a constant for each envelope. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FRAME_BYTES = 100;

export type StepRecord = {
  recordGiven(chunks: readonly Chunk[]): void;
  recordPassed(chunks: readonly Chunk[]): void;
  /** Keeps only the first `count` chunks of the output. */
  keep(count: number): void;
  /** Returns undefined if the bounds were exceeded. */
  getAll(): { given: readonly Chunk[]; passed: readonly Chunk[] } | undefined;
};

export type RecordBounds = { maxChunks: number; maxBytes: number };

export function createStepRecord(
  { maxChunks, maxBytes }: RecordBounds = { maxChunks: MAX_KEPT_CHUNKS, maxBytes: MAX_KEPT_BYTES },
): StepRecord {
  let raw: Chunk[] = [];
  let out: Chunk[] = [];
  let bytes = 0;
  let isWhole = true;
  const grow = (list: Chunk[], chunks: readonly Chunk[]) => {
    if (!isWhole) return;
    for (const chunk of chunks) {
      bytes += estimateBytes(chunk);
      list.push(chunk);
    }
    if (bytes <= maxBytes && list.length <= maxChunks) return;
    isWhole = false;
    raw = [];
    out = [];
  };
  return {
    recordGiven: (chunks) => grow(raw, chunks),
    recordPassed: (chunks) => grow(out, chunks),
    keep(count) {
      // The bound includes dropped chunks: a step that is retracted repeatedly reaches its end.
      out.length = Math.min(count, out.length);
    },
    getAll: () => (isWhole ? { given: raw, passed: out } : undefined),
  };
}

/** Returns an approximation. */
export function estimateBytes(chunk: Chunk): number {
  const piece = readTextPiece(chunk);
  return FRAME_BYTES + (piece ? piece.text.length : JSON.stringify(chunk).length);
}
