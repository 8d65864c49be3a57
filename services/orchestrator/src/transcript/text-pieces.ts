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
