// How a thread lies in Redis. Every key begins with the tenant, which is a token and so has no colon; what the caller named (a
// thread, a resource) is encoded, so that it holds neither a colon nor a brace. So two different things never share a key, and
// the braces put all keys of one thread into one slot of a Redis Cluster.
import { createHash } from 'node:crypto';
import { checkTenant, resourceOf } from '@millrace/stores';
import type { ThreadRef } from '../../store/history-store.ts';

/** A tenant's threads are listed in so many parts, so that no key is written by all of its runs. Another number needs new keys. */
export const INDEX_PARTS = 16;

/** @throws token-invalid */
export function threadKeys({ tenant, threadId }: ThreadRef) {
  const ofThread = (kind: string) => `${checkTenant(tenant)}:history:{${encodeURIComponent(threadId)}}:${kind}`;
  return {
    /** hash: owner, title, createdAt, updatedAt, lastMessageAt (ms since 1970), messageCount, metadata (JSON), blocks (how many were begun) */
    thread: ofThread('thread'),
    /** sorted set: message id by block * 10,000 + position */
    order: ofThread('order'),
    /** hash: message id to JSON */
    bodies: ofThread('bodies'),
    /** hash: run id to `<epoch>:<block>:<saved at, ms since 1970>` */
    runs: ofThread('runs'),
  };
}

/** Sorted sets, thread id by updatedAt: all threads of an owner, or of a tenant, in parts. @throws token-invalid */
export function threadIndexKeys(tenant: string, owner: string | undefined): string[] {
  if (owner !== undefined) return [`${checkTenant(tenant)}:history:threads-of:${encodeURIComponent(owner)}`];
  return Array.from({ length: INDEX_PARTS }, (_, part) => indexPartKey(tenant, part));
}

/** Those in which one thread stands. */
export function indexKeysOf({ tenant, threadId }: ThreadRef, owner: string): string[] {
  const part = createHash('sha1').update(threadId).digest().readUInt8(0) % INDEX_PARTS;
  const ofTenant = indexPartKey(tenant, part);
  // Of a thread that owns itself nobody asks for a list.
  return resourceOf(owner) === undefined ? [ofTenant] : [ofTenant, ...threadIndexKeys(tenant, owner)];
}

const indexPartKey = (tenant: string, part: number) => `${checkTenant(tenant)}:history:threads:${part}`;
