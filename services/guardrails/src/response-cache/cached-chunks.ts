// An answer as it is kept: what a model said, and nothing else of its stream. What is read back is looked at as any stranger's words are:
// what does not fit is no answer.
import { chunkSchema, type Chunk } from '@millrace/contracts';
import { z } from 'zod';

/** Longer answers are not kept, bytes of JSON. */
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

/** undefined: there is nothing to keep, or too much. */
export function written(chunks: readonly Chunk[]): string | undefined {
  const said = chunks.filter(isKept);
  // A tool that the provider has called itself would not be called again.
  if (said.length === 0 || chunks.some(isProvidersOwn)) return undefined;
  const text = JSON.stringify(said);
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
