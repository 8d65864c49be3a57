// Redis keys of a thread. Every key starts with the tenant, a token without a colon. Names from callers (thread,
// resource) are encoded, so that they hold neither colon nor brace and two different things never share a key. The
// braces put all keys of one thread into one slot of a Redis Cluster.
import { createHash } from 'node:crypto';
import { checkTenant, findResource } from '@millrace/stores';
import type { ThreadRef } from '../../store/history-store.ts';

/**
 * Number of parts of a tenant's list of threads, so that its runs do not all write one key. Changing it requires new
 * keys.
 */
export const INDEX_PARTS = 16;

/** @throws token-invalid */
export function listThreadKeys({ tenant, threadId }: ThreadRef) {
  const buildKey = (kind: string) => `${checkTenant(tenant)}:history:{${encodeURIComponent(threadId)}}:${kind}`;
  return {
    /** hash: owner, title, createdAt, updatedAt, lastMessageAt (ms since 1970), messageCount, metadata (JSON: the agents), own (JSON: metadata of the caller), blocks (how many were begun) */
    thread: buildKey('thread'),
    /** sorted set: message id by block * 10,000 + position */
    order: buildKey('order'),
    /** hash: message id to JSON */
    bodies: buildKey('bodies'),
    /** hash: run id to `<epoch>:<block>:<saved at, ms since 1970>` */
    runs: buildKey('runs'),
    /** sorted set: id of a run of an erased resource by the time until which its saves are rejected, ms since 1970 */
    erased: buildKey('erased'),
  };
}

/** Sorted sets, thread id by updatedAt: all threads of an owner, or of a tenant, in parts. @throws token-invalid */
export function listIndexKeys(tenant: string, owner: string | undefined): string[] {
  if (owner !== undefined) return [`${checkTenant(tenant)}:history:threads-of:${encodeURIComponent(owner)}`];
  return Array.from({ length: INDEX_PARTS }, (_, part) => buildIndexPartKey(tenant, part));
}

/** Returns the keys of the lists that contain a thread. */
export function findIndexKeys({ tenant, threadId }: ThreadRef, owner: string): string[] {
  const part = createHash('sha1').update(threadId).digest().readUInt8(0) % INDEX_PARTS;
  const ofTenant = buildIndexPartKey(tenant, part);
  // No list is requested for a thread that owns itself.
  return findResource(owner) === undefined ? [ofTenant] : [ofTenant, ...listIndexKeys(tenant, owner)];
}

const buildIndexPartKey = (tenant: string, part: number) => `${checkTenant(tenant)}:history:threads:${part}`;
