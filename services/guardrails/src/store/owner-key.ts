// Whose something is, as a part of a key: tenant, resource and thread are what the run says of itself, and no two owners have one key,
// whatever they are called.
import type { RunRef } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';

export type OwnerScope = 'tenant' | 'resource' | 'thread';

/**
 * Begins with the tenant. The braces keep what is one owner's in one slot of a Redis cluster.
 * @returns undefined where the run belongs to no such owner: a thread without a resource is its own
 */
export function ownerKey(what: string, scope: OwnerScope, run: RunRef): string | undefined {
  const { tenant, resourceId, threadId } = run;
  const named = (owner: readonly string[]) =>
    `${checkTenant(tenant)}:${what}:{${[scope, ...owner].map(encodeURIComponent).join(':')}}`;
  if (scope === 'tenant') return named([]);
  if (scope === 'resource' && resourceId !== undefined) return named(['resource', resourceId]);
  return threadId === undefined ? undefined : named(['thread', resourceId ?? '', threadId]);
}
