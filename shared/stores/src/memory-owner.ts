// Derives the owner of a memory's entries: the run's resource, or its thread if the run has no resource. Different
// owners have different keys for all names. Decides which of them the caller of an api verb can read.
import { isToken, MillraceError, hashCaller, isOperator, type ApiAddress } from '@millrace/contracts';

// Names that callers may give to resources hold no space, but nothing here depends on that.
const THREAD = ' thread:';
const RESOURCE = ' resource:';

export function chooseMemoryOwner({
  threadId,
  resourceId,
}: {
  threadId: string;
  resourceId?: string | undefined;
}): string {
  return resourceId === undefined ? buildThreadOwner(threadId) : buildResourceOwner(resourceId);
}

/** A resource's key is its name, so that a person finds it in the store. */
export function buildResourceOwner(resourceId: string): string {
  return resourceId.startsWith(' ') ? `${RESOURCE}${resourceId}` : resourceId;
}

/** Of a thread that has no resource. */
export function buildThreadOwner(threadId: string): string {
  return `${THREAD}${threadId}`;
}

/** Returns the resource of a key; undefined if a thread owns itself. */
export function findResource(owner: string): string | undefined {
  if (owner.startsWith(THREAD)) return undefined;
  return owner.startsWith(RESOURCE) ? owner.slice(RESOURCE.length) : owner;
}

/**
 * Returns the tenant, the first part of every key. A token cannot contain a separator of keys. @throws token-invalid
 */
export function checkTenant(tenant: string): string {
  if (isToken(tenant)) return tenant;
  throw new MillraceError('token-invalid', `"${tenant}" is not a tenant.`, {
    remedy: 'Use 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-".',
  });
}

/** Retention of the mark of a saved run, ms: as long as an ended run is known. A later run with the same id is another run, and neither replaces nor skips data of the first. */
export const RUN_MARK_TTL_MS = 24 * 3_600_000;

export type MemoryCaller = Pick<ApiAddress, 'tenant' | 'caller'>;

/** Returns true for data of the caller's own resource, which is its identity; for an operator, for all data. */
export async function isOwnResource(
  { tenant, caller }: MemoryCaller,
  resourceId: string | undefined,
): Promise<boolean> {
  if (isOperator(caller)) return true;
  return resourceId !== undefined && (await hashCaller(tenant, resourceId)) === caller;
}

/** @throws message-invalid if the resource is not the caller's, or the thread without a resource */
export async function requireOwnResource(call: MemoryCaller, resourceId: string | undefined): Promise<void> {
  if (await isOwnResource(call, resourceId)) return;
  const message = 'A caller has the memory of its own identity only.';
  throw new MillraceError('message-invalid', message, {
    path: 'resourceId',
    remedy: 'Set resourceId to the identity that the connection was made with.',
  });
}
