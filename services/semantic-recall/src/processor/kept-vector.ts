// The vector of the run's user text, kept in the entry's state between input and output, so that the text is embedded once per
// run, whichever replica is asked. As base64 of 32-bit floats: 8 KiB for 1,536 dimensions, where JSON numbers would take 30.
import { createHash } from 'node:crypto';
import type { JsonObject } from '@millrace/contracts';
import { z } from 'zod';
import { fromBytes, toBytes } from '../store/vector-bytes.ts';

/** 3,072 dimensions. Longer vectors are not kept: state travels with calls, and embedding again is cheaper then. */
export const KEPT_MAX_CHARS = 16_384;

const keptSchema = z.object({ text: z.string(), vector: z.base64() });

export function keepVector(state: JsonObject, text: string, vector: readonly number[]): void {
  const bytes = Buffer.from(toBytes(vector)).toString('base64');
  if (bytes.length <= KEPT_MAX_CHARS) state['query'] = { text: fingerprint(text), vector: bytes };
}

/** The vector that was kept for exactly this text. */
export function keptVector(state: JsonObject, text: string): number[] | undefined {
  const kept = keptSchema.safeParse(state['query']).data;
  if (kept?.text !== fingerprint(text)) return undefined;
  const bytes = Buffer.from(kept.vector, 'base64');
  return bytes.length > 0 && bytes.length % Float32Array.BYTES_PER_ELEMENT === 0 ? [...fromBytes(bytes)] : undefined;
}

/** How long the embedder's vectors are, whatever the text was. */
export function keptDimensions(state: JsonObject): number | undefined {
  const kept = keptSchema.safeParse(state['query']).data;
  const bytes = kept ? Buffer.from(kept.vector, 'base64').length : 0;
  return bytes > 0 && bytes % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes / Float32Array.BYTES_PER_ELEMENT : undefined;
}

/** The text itself may be long, and stands in the conversation already. */
function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
