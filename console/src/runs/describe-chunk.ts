// Describes a chunk in one line. Pure.
import type { Chunk } from '@millrace/contracts';

const MAX_CHARS = 300;

export function describeChunk(chunk: Chunk): string {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return cut(JSON.stringify(chunk.payload.text));
  const content = 'payload' in chunk ? chunk.payload : 'object' in chunk ? chunk.object : {};
  return cut(JSON.stringify(content));
}

const cut = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);
