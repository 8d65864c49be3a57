// Reads chunks that are pieces of a text, and chunks that end one. Text, reasoning and tool arguments are treated alike
// and distinguished by part.
import type { Chunk } from '@millrace/contracts';

/** @returns undefined if the chunk is not a piece of a text */
export function readTextPiece(chunk: Chunk): { part: string; text: string } | undefined {
  switch (chunk.type) {
    case 'text-delta':
      return { part: `text ${chunk.payload.id}`, text: chunk.payload.text };
    case 'reasoning-delta':
      return { part: `reasoning ${chunk.payload.id}`, text: chunk.payload.text };
    case 'tool-call-delta':
      return { part: `tool ${chunk.payload.toolCallId}`, text: chunk.payload.argsTextDelta };
    default:
      return undefined;
  }
}

/** Returns the part that the chunk ends. */
export function readEndedPart(chunk: Chunk): string | undefined {
  switch (chunk.type) {
    case 'text-end':
      return `text ${chunk.payload.id}`;
    case 'reasoning-end':
      return `reasoning ${chunk.payload.id}`;
    case 'tool-call-input-streaming-end':
      return `tool ${chunk.payload.toolCallId}`;
    default:
      return undefined;
  }
}

/** Returns the piece with another text. A chunk that is not a piece stays unchanged. */
export function withPiece(chunk: Chunk, text: string): Chunk {
  switch (chunk.type) {
    case 'text-delta':
      return { ...chunk, payload: { ...chunk.payload, text } };
    case 'reasoning-delta':
      return { ...chunk, payload: { ...chunk.payload, text } };
    case 'tool-call-delta':
      return { ...chunk, payload: { ...chunk.payload, argsTextDelta: text } };
    default:
      return chunk;
  }
}

/** Maximum length of a merged piece, in UTF-16 code units: one message has to hold it. */
const MAX_MERGED_CHARS = 16 * 1024;

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
