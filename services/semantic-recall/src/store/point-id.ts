// Id of a message's point: equal for the same message and text in the same thread of the same owner, in any run. A
// repeated save has no effect and history that is sent again is not indexed again. Qdrant requires UUIDs; this is one
// of version 5 (RFC 9562, section 5.5): a name hashed in a namespace.
import { createHash } from 'node:crypto';
import type { RecallOwner, RecallPlace, VectorSpace } from './vector-store.ts';

/** Private namespace, generated once at random. Changing it would change the id of every point. */
const NAMESPACE = Buffer.from('6f1c9d0e5b7a4c1e9a3d2b8f4e7c6a50', 'hex');

export function computePointId(
  { tenant, key, threadId }: RecallPlace,
  { messageId, text }: { messageId: string; text: string },
): string {
  return nameUuid([tenant, key, threadId, messageId, text]);
}

/** Id of the mark of an erased run. */
export const fenceId = ({ tenant, key }: RecallOwner, runId: string): string => nameUuid([tenant, key, runId]);

/** JSON separates the parts unambiguously. */
function nameUuid(parts: readonly string[]): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// Names a collection after its embedder and the length of its vectors.
/** Every collection of this service begins with it. */
export const COLLECTION_PREFIX = 'millrace-';
/** Qdrant rejects names that exceed the limit of file names. */
const READABLE_MAX_CHARS = 100;

/**
 * Readable, with a hash suffix: two embedders with names that differ only in special characters get different collections.
 */
export function buildCollectionName({ embedder, dimensions }: VectorSpace): string {
  const readable = embedder.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, READABLE_MAX_CHARS);
  const hash = createHash('sha256').update(embedder).digest('hex').slice(0, 8);
  return `${COLLECTION_PREFIX}${readable}-${dimensions}-${hash}`;
}
