// Serializes an answer without the chunks of other processors. The reader validates stored text as untrusted input and
// ignores an invalid answer.
import { chunkSchema, type Chunk } from '@millrace/contracts';
import { z } from 'zod';

/** Maximum size of a stored answer, in bytes of JSON. */
const MAX_BYTES = 512 * 1024;
const KEPT: readonly string[] = [
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-call-input-streaming-start',
  'tool-call-delta',
  'tool-call-input-streaming-end',
  'tool-call',
  'source',
  'file',
];
const isKept = ({ type }: { type: string }): boolean => KEPT.includes(type);
const storedSchema = z.array(chunkSchema).min(1);

/** Returns undefined if there is nothing to store, or too much. */
export function serializeChunks(chunks: readonly Chunk[]): string | undefined {
  const contents = chunks.filter(isKept);
  // A stored answer would not repeat the call of a provider's own tool.
  if (contents.length === 0 || chunks.some(isProvidersOwn)) return undefined;
  const text = JSON.stringify(contents);
  return Buffer.byteLength(text) > MAX_BYTES ? undefined : text;
}

const isProvidersOwn = (chunk: Chunk): boolean =>
  chunk.type === 'tool-result' || (chunk.type === 'tool-call' && chunk.payload.providerExecuted === true);

export function readBack(text: string | null): Chunk[] | undefined {
  if (text === null || text.length > MAX_BYTES) return undefined;
  try {
    const parsed = storedSchema.safeParse(JSON.parse(text));
    if (!parsed.success || !parsed.data.every(isKept) || parsed.data.some(isProvidersOwn)) return undefined;
    return parsed.data;
  } catch {
    return undefined;
  }
}
