// Marks the calls of a model under a name that no tool of the run has: such a name is text of the model, and guards judge it.
import { isDataChunk, type Chunk } from '@millrace/contracts';

/** Returns the chunk with the mark exactly if its tool is unknown. Pieces of the arguments lose an unknown name: guards join their text only. */
export function markUnknownTool(chunk: Chunk, known: ReadonlySet<string>): Chunk {
  if (isDataChunk(chunk)) return chunk;
  switch (chunk.type) {
    case 'tool-call-delta': {
      const { toolName, ...payload } = chunk.payload;
      return toolName === undefined || known.has(toolName) ? chunk : { ...chunk, payload };
    }
    case 'tool-call':
    case 'tool-call-input-streaming-start':
    case 'tool-result':
    case 'tool-error':
    case 'tool-output-denied':
      return setMark(chunk, !known.has(chunk.payload.toolName));
    default:
      return chunk;
  }
}

/** A chunk of a cache has the mark of an earlier run. */
function setMark<C extends Chunk & { payload: { unknownTool?: boolean | undefined } }>(
  chunk: C,
  isUnknown: boolean,
): C {
  if (isUnknown) return { ...chunk, payload: { ...chunk.payload, unknownTool: true } };
  if (!('unknownTool' in chunk.payload)) return chunk;
  const { unknownTool: _, ...payload } = chunk.payload;
  return { ...chunk, payload };
}
