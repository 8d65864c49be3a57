// The id of a message's point: the same for the same place in the same run, so that saving twice is saving once. Qdrant takes
// UUIDs; this is one of version 5 (RFC 9562, section 5.5): a name hashed in a namespace.
import { createHash } from 'node:crypto';

/** Ours alone, made once at random: another one would give every point another id. */
const NAMESPACE = Buffer.from('6f1c9d0e5b7a4c1e9a3d2b8f4e7c6a50', 'hex');

/** @param tenant a token, as `runId` is: neither can hold the separator */
export function pointId(tenant: string, runId: string, position: number): string {
  const name = `${tenant}/${runId}/${position}`;
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
