// Keeps the vector of the run's user text in the entry's state between input and output, so that the text is embedded
// once per run on any replica. Stored as base64 of 32-bit floats: 8 KiB for 1,536 dimensions, where JSON numbers would
// take 30.
import { createHash } from 'node:crypto';
import type { JsonObject } from '@millrace/contracts';
import { z } from 'zod';
import { decodeVector, encodeVector } from '../store/vector-bytes.ts';

/**
 * Fits 3,072 dimensions. Longer vectors are not kept: state travels with every call, and embedding again is cheaper.
 */
export const KEPT_MAX_CHARS = 16_384;

const keptSchema = z.object({ text: z.string(), vector: z.base64() });

export function keepVector(state: JsonObject, text: string, vector: readonly number[]): void {
  const bytes = Buffer.from(encodeVector(vector)).toString('base64');
  if (bytes.length <= KEPT_MAX_CHARS) state['query'] = { text: fingerprint(text), vector: bytes };
}

/** Returns the vector that was kept for exactly this text. */
export function readKeptVector(state: JsonObject, text: string): number[] | undefined {
  const kept = keptSchema.safeParse(state['query']).data;
  if (kept?.text !== fingerprint(text)) return undefined;
  const bytes = Buffer.from(kept.vector, 'base64');
  return bytes.length > 0 && bytes.length % Float32Array.BYTES_PER_ELEMENT === 0 ? [...decodeVector(bytes)] : undefined;
}

/** Returns the length of the embedder's vectors, for any text. */
export function readKeptDimensions(state: JsonObject): number | undefined {
  const kept = keptSchema.safeParse(state['query']).data;
  const bytes = kept ? Buffer.from(kept.vector, 'base64').length : 0;
  return bytes > 0 && bytes % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes / Float32Array.BYTES_PER_ELEMENT : undefined;
}

/** Hashes the text, because it can be long and the conversation already holds it. */
function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
