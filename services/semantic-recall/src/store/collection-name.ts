// The name of a collection: which embedder its vectors come from, and how long they are.
import { createHash } from 'node:crypto';
import type { VectorSpace } from './vector-store.ts';

/** Qdrant refuses names that are longer than a file name may be. */
const READABLE_MAX_CHARS = 100;

/** Readable, with a hash after it: two embedders that read alike once their special characters are gone stay two. */
export function collectionName({ embedder, dimensions }: VectorSpace): string {
  const readable = embedder.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, READABLE_MAX_CHARS);
  const hash = createHash('sha256').update(embedder).digest('hex').slice(0, 8);
  return `millrace-${readable}-${dimensions}-${hash}`;
}
