// Tracks the ended parts of a stream: buffered text of a part must precede the chunk that ends it.
import { getOwnMember, type Chunk } from '@millrace/contracts';

const ENDS: Readonly<Record<string, string>> = {
  'text-end': 'text',
  'reasoning-end': 'reasoning',
  'tool-call-input-streaming-end': 'tool-call',
};
const DELTAS: Readonly<Record<string, string>> = {
  'text-delta': 'text',
  'reasoning-delta': 'reasoning',
  'tool-call-delta': 'tool-call',
};

/** Returns a function that reports the problem of the next chunk. */
export function createPartOrder(): (chunk: Chunk) => string | undefined {
  const ended = new Set<string>();
  return (chunk) => {
    const id = readPartId('payload' in chunk ? chunk.payload : undefined);
    const delta = getOwnMember(DELTAS, chunk.type);
    if (delta !== undefined && ended.has(`${delta} ${String(id)}`))
      return `a "${chunk.type}" was sent after the end of its part "${String(id)}"`;
    const end = getOwnMember(ENDS, chunk.type);
    if (end !== undefined) ended.add(`${end} ${String(id)}`);
    return undefined;
  };
}

function readPartId(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return undefined;
  return 'id' in payload ? payload.id : Reflect.get(payload, 'toolCallId');
}
