// Decides which data of a memory the caller of an api verb can read.
import { MillraceError, hashCaller, isOperator, type ApiAddress } from '@millrace/contracts';

export type MemoryCaller = Pick<ApiAddress, 'tenant' | 'caller'>;

/** Returns true for data of the caller's own resource, which is its identity; for an operator, for all data. */
export async function isOwnResource(
  { tenant, caller }: MemoryCaller,
  resourceId: string | undefined,
): Promise<boolean> {
  if (isOperator(caller)) return true;
  return resourceId !== undefined && (await hashCaller(tenant, resourceId)) === caller;
}

/** @throws message-invalid if the caller may not read the resource, or the thread without a resource */
export async function requireOwnResource(call: MemoryCaller, resourceId: string | undefined): Promise<void> {
  if (await isOwnResource(call, resourceId)) return;
  const message = 'A caller reads the memory of its own identity only.';
  throw new MillraceError('message-invalid', message, {
    path: 'resourceId',
    remedy: 'Set resourceId to the identity that the connection was made with.',
  });
}
