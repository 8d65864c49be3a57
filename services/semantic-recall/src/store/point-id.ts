// The id of a message's point: the same for the same message and text in the same thread of the same owner, whichever run says it,
// so that saving twice is saving once and history that is sent again is not indexed again. Qdrant takes UUIDs; this is one of
// version 5 (RFC 9562, section 5.5): a name hashed in a namespace.
import { createHash } from 'node:crypto';
import type { RecallPlace } from './vector-store.ts';

/** Ours alone, made once at random: another one would give every point another id. */
const NAMESPACE = Buffer.from('6f1c9d0e5b7a4c1e9a3d2b8f4e7c6a50', 'hex');

export function pointId(
  { tenant, key, threadId }: RecallPlace,
  { messageId, text }: { messageId: string; text: string },
): string {
  // JSON keeps the parts apart, whatever they hold.
  const name = JSON.stringify([tenant, key, threadId, messageId, text]);
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
