// Which parts of a stream have ended: what is held back of one has to come out before the chunk that ends it.
import { ownMember, type Chunk } from '@millrace/contracts';

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

/** Returns what tells, chunk by chunk, what is wrong with the next one. */
export function createPartOrder(): (chunk: Chunk) => string | undefined {
  const ended = new Set<string>();
  return (chunk) => {
    const id = partId('payload' in chunk ? chunk.payload : undefined);
    const delta = ownMember(DELTAS, chunk.type);
    if (delta !== undefined && ended.has(`${delta} ${String(id)}`))
      return `a "${chunk.type}" came out after the end of its part "${String(id)}"`;
    const end = ownMember(ENDS, chunk.type);
    if (end !== undefined) ended.add(`${end} ${String(id)}`);
    return undefined;
  };
}

function partId(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return undefined;
  return 'id' in payload ? payload.id : Reflect.get(payload, 'toolCallId');
}
