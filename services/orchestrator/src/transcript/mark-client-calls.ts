// Marks the chunks of calls that the caller executes, when they leave the orchestrator: readers show them as calls of the
// caller. The request decides which calls these are, so no processor can remove a mark.
import { isDataChunk, type Chunk, type ClientTool } from '@millrace/contracts';

/** Returns the function that marks chunks. */
export function createClientMark(tools: readonly ClientTool[] = []): (chunks: readonly Chunk[]) => readonly Chunk[] {
  if (tools.length === 0) return (chunks) => chunks;
  const names: ReadonlySet<unknown> = new Set(tools.map(({ name }) => name));
  return (chunks) => chunks.map((chunk) => markChunk(chunk, names));
}

function markChunk(chunk: Chunk, names: ReadonlySet<unknown>): Chunk {
  if (isDataChunk(chunk)) return chunk;
  switch (chunk.type) {
    case 'tool-call':
    case 'tool-call-input-streaming-start':
    case 'tool-result':
    case 'tool-error':
    case 'tool-output-denied':
      return names.has(chunk.payload.toolName) ? withMark(chunk) : chunk;
    default:
      return chunk;
  }
}

function withMark<C extends { payload: object }>(chunk: C): C {
  return { ...chunk, payload: { ...chunk.payload, clientTool: true } };
}
