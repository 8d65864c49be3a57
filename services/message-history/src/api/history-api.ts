// The public verbs that this service answers: threads and their messages, of the tenant that the subject names.
import { MillraceError, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { ownerOfResource } from '@millrace/stores';
import type { HistoryStore } from '../store/history-store.ts';

type Verb = 'threads-list' | 'threads-get' | 'messages-list';
/** `tenant` comes from the subject: what a payload says of tenants does not count. */
type Caller = { tenant: string };
export type HistoryApi = {
  [V in Verb]: (request: ApiRequest<V>, caller: Caller) => Promise<ApiAnswer<V>>;
};

export function createHistoryApi(store: HistoryStore): HistoryApi {
  return {
    'threads-list': ({ resourceId, limit, offset }, { tenant }) => {
      const owner = resourceId === undefined ? undefined : ownerOfResource(resourceId);
      return store.listThreads({ tenant, owner }, { limit, offset });
    },
    'threads-get': ({ threadId }, { tenant }) => store.getThread({ tenant, threadId }),
    'messages-list': async ({ threadId, limit, offset, last }, { tenant }) => {
      if (last === undefined) return store.listMessages({ tenant, threadId }, { limit, offset });
      if (offset === 0) return store.listLastMessages({ tenant, threadId }, last);
      throw new MillraceError('message-invalid', '`last` counts from the end, `offset` from the start: not both.', {
        path: 'offset',
        remedy: 'Leave one of them out.',
      });
    },
  };
}
