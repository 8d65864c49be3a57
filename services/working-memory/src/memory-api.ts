// The public verb that this service answers: the working memory of a resource, or of one of its threads.
import type { ApiAnswer, ApiRequest } from '@millrace/contracts';
import type { WorkingMemoryStore } from './memory-store.ts';

/** `tenant` comes from the subject: what a payload says of tenants does not count. */
type Caller = { tenant: string };

/** `threadId` asks for the memory that a thread of that resource has for itself (scope "thread"). */
export const memoryGet =
  (store: WorkingMemoryStore) =>
  ({ resourceId, threadId }: ApiRequest<'memory-get'>, { tenant }: Caller): Promise<ApiAnswer<'memory-get'>> =>
    // A run that names no resource has its tenant's: architecture.md, section 2, "Defaults".
    store.read({ tenant, resourceId: resourceId ?? tenant, threadId });
