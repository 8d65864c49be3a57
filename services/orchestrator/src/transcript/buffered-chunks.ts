// Buffered chunks in order. Each has a place: the index that it gets if everything before it is released. A transient
// chunk has no index of its own and takes the place of the next chunk.
import type { Chunk } from '@millrace/contracts';
import { isTransient } from './chunk-publisher.ts';
import { readTextPiece, withPiece } from './text-pieces.ts';

export type BufferedChunk = {
  chunk: Chunk;
  place: number;
  bytes: number;
  isTransient: boolean;
};

export const toBuffered = (chunk: Chunk, place: number): BufferedChunk => ({
  chunk,
  place,
  isTransient: isTransient(chunk),
  bytes: Buffer.byteLength(JSON.stringify(chunk)),
});

/** Maximum length of a merged piece, in UTF-16 code units: one message has to hold it. */
const MAX_MERGED_CHARS = 16 * 1024;

/**
 * Merges adjacent pieces of one part; later chunks move up. Afterwards no caller may refer to a place among the merged
 * pieces.
 */
export function mergePieces(held: readonly BufferedChunk[]): BufferedChunk[] {
  const merged: BufferedChunk[] = [];
  let shift = 0;
  for (const one of held) {
    const last = merged.at(-1);
    const chunk = last && joinChunks(last, one);
    if (last && chunk) {
      merged[merged.length - 1] = toBuffered(chunk, last.place);
      shift += 1;
    } else merged.push({ ...one, place: one.place - shift });
  }
  return merged;
}

const joinChunks = (one: BufferedChunk, other: BufferedChunk): Chunk | undefined =>
  one.isTransient || other.isTransient ? undefined : joinPieces(one.chunk, other.chunk);

/**
 * Merges two pieces of one part. Returns undefined if they are not pieces of one part, or if the result would be too
 * long.
 */
export function joinPieces(one: Chunk, other: Chunk): Chunk | undefined {
  if (!isPlain(one) || !isPlain(other)) return undefined;
  const first = readTextPiece(one);
  const second = readTextPiece(other);
  if (!first || !second || one.type !== other.type || first.part !== second.part) return undefined;
  const text = first.text + second.text;
  return text.length > MAX_MERGED_CHARS ? undefined : withPiece(one, text);
}

const OF_A_CHUNK = new Set(['type', 'runId', 'from', 'payload']);
const OF_A_PIECE = new Set(['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta']);

/** Returns whether the chunk has no members other than its text: merging it loses nothing. */
function isPlain(chunk: Chunk): boolean {
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta' && chunk.type !== 'tool-call-delta') return false;
  return (
    Object.keys(chunk).every((key) => OF_A_CHUNK.has(key)) &&
    Object.keys(chunk.payload).every((key) => OF_A_PIECE.has(key))
  );
}
