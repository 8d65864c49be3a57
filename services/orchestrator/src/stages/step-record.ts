// What a step's stream has been: the raw chunks that went into its processors, and what came out and was published. Kept so that lost
// sessions can be opened again on another replica, and bounded: a step that has outgrown it cannot be moved.
import type { Chunk } from '@millrace/contracts';
import { textPiece } from '../state/text-pieces.ts';

/** A long answer with long reasoning is some 20,000 pieces. */
const MAX_KEPT_CHUNKS = 32 * 1024;
/** Roughly, without writing what is text as JSON: characters and what stands around them. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FRAME_BYTES = 100;

export type StepRecord = {
  given(chunks: readonly Chunk[]): void;
  passed(chunks: readonly Chunk[]): void;
  /** Of what was passed only so many count. */
  keep(count: number): void;
  /** undefined: there was too much of it. */
  all(): { given: readonly Chunk[]; passed: readonly Chunk[] } | undefined;
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
      bytes += bytesOf(chunk);
      list.push(chunk);
    }
    if (bytes <= maxBytes && list.length <= maxChunks) return;
    isWhole = false;
    raw = [];
    out = [];
  };
  return {
    given: (chunks) => grow(raw, chunks),
    passed: (chunks) => grow(out, chunks),
    keep(count) {
      // The bound counts what was dropped too: a step that is taken back again and again comes to its end.
      out.length = Math.min(count, out.length);
    },
    all: () => (isWhole ? { given: raw, passed: out } : undefined),
  };
}

/** Roughly. */
export function bytesOf(chunk: Chunk): number {
  const piece = textPiece(chunk);
  return FRAME_BYTES + (piece ? piece.text.length : JSON.stringify(chunk).length);
}
