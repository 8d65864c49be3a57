// Vectors for tests: each word of a text is hashed into one of DIMENSIONS buckets, so that texts which share words are near
// each other, the same in every run.
import { createHash } from 'node:crypto';

export const DIMENSIONS = 256;

export function hashedWords(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const bucket = createHash('sha256').update(word).digest().readUInt32BE() % DIMENSIONS;
    vector[bucket] = (vector[bucket] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
