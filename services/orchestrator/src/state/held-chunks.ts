// The chunks that a run holds back, in order, each with its place: the index that it will have if everything before it comes out. Chunks
// that nobody counts (transient ones) stand at the place of the next.
import type { Chunk } from '@millrace/contracts';
import { textPiece, withPiece } from './text-pieces.ts';

export type Held = {
  chunk: Chunk;
  place: number;
  bytes: number;
  isTransient: boolean;
  /** What came before it of the same chunk is out. */
  isRest?: boolean;
};

export const heldOf = (chunk: Chunk, place: number, isTransient = false): Held => ({
  chunk,
  place,
  isTransient,
  bytes: Buffer.byteLength(JSON.stringify(chunk)),
});

/** A piece of text that came out of many is no longer than this, UTF-16 code units: a message has to hold it. */
const MAX_MERGED_CHARS = 16 * 1024;

/** Pieces that follow one another in one part become one, and what comes after them moves up. Nobody may name a place among them any more. */
export function mergePieces(held: readonly Held[]): Held[] {
  const merged: Held[] = [];
  let shift = 0;
  for (const one of held) {
    const last = merged.at(-1);
    const chunk = last && joined(last, one);
    if (last && chunk) {
      merged[merged.length - 1] = heldOf(chunk, last.place);
      shift += 1;
    } else merged.push({ ...one, place: one.place - shift });
  }
  return merged;
}

const joined = (one: Held, other: Held): Chunk | undefined =>
  one.isTransient || other.isTransient ? undefined : joinedPieces(one.chunk, other.chunk);

/** Two pieces of one part as one; undefined where they are none, or where it would be too long. */
export function joinedPieces(one: Chunk, other: Chunk): Chunk | undefined {
  if (!isPlain(one) || !isPlain(other)) return undefined;
  const first = textPiece(one);
  const second = textPiece(other);
  if (!first || !second || one.type !== other.type || first.part !== second.part) return undefined;
  const text = first.text + second.text;
  return text.length > MAX_MERGED_CHARS ? undefined : withPiece(one, text);
}

const OF_A_CHUNK = new Set(['type', 'runId', 'from', 'payload']);
const OF_A_PIECE = new Set(['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta']);

/** It says nothing but its text: nothing is lost where it goes into another one. */
function isPlain(chunk: Chunk): boolean {
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta' && chunk.type !== 'tool-call-delta') return false;
  return (
    Object.keys(chunk).every((key) => OF_A_CHUNK.has(key)) &&
    Object.keys(chunk.payload).every((key) => OF_A_PIECE.has(key))
  );
}
