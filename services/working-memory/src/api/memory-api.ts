// The public verb that this service answers: the working memory of a resource, of a thread without one, or of one thread of a
// resource.
import { MillraceError, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { ownerOfResource, ownerOfThread } from '@millrace/stores';
import type { MemoryOwner, WorkingMemoryStore } from '../store/memory-store.ts';

/** `tenant` comes from the subject: what a payload says of tenants does not count. */
type Caller = { tenant: string };

/** @throws message-invalid when the request names nobody */
export const memoryGet =
  (store: WorkingMemoryStore) =>
  async (request: ApiRequest<'memory-get'>, { tenant }: Caller): Promise<ApiAnswer<'memory-get'>> =>
    store.read({ tenant, ...askedFor(request) });

function askedFor({ resourceId, threadId }: ApiRequest<'memory-get'>): Omit<MemoryOwner, 'tenant'> {
  if (resourceId !== undefined) return { key: ownerOfResource(resourceId), threadId };
  if (threadId !== undefined) return { key: ownerOfThread(threadId) };
  throw new MillraceError(
    'message-invalid',
    'Nobody is named: a memory belongs to a resource, or to a thread without one.',
    {
      path: 'resourceId',
      remedy: 'Give resourceId; threadId for a thread without a resource; both for what a thread of it has of its own.',
    },
  );
}
