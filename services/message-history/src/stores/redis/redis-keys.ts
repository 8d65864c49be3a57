// How a thread lies in Redis. Every key begins with the tenant, which is a token and so has no colon; what the caller named (a
// thread, a resource) stands last, whatever characters it has. So two different things never share a key.
import { checkTenant } from '@millrace/stores';
import type { ThreadRef } from '../../store/history-store.ts';

/** @throws token-invalid */
export function threadKeys({ tenant, threadId }: ThreadRef) {
  const ofThread = (kind: string) => `${checkTenant(tenant)}:history:${kind}:${threadId}`;
  return {
    /** hash: owner, title, createdAt, updatedAt, lastMessageAt (ms since 1970), messageCount, metadata (JSON), blocks (how many were begun) */
    thread: ofThread('thread'),
    /** sorted set: message id by block * 10,000 + position */
    order: ofThread('order'),
    /** hash: message id to JSON */
    bodies: ofThread('bodies'),
    /** hash: run id to `<epoch>:<block>` */
    runs: ofThread('runs'),
  };
}

/** Sorted set: thread id by updatedAt, of a tenant or of one of its resources. @throws token-invalid */
export function threadIndexKey(tenant: string, owner?: string): string {
  const history = `${checkTenant(tenant)}:history`;
  return owner === undefined ? `${history}:threads` : `${history}:threads-of:${owner}`;
}
