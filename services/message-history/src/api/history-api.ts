// Implements the public verbs on threads and their messages, for the tenant in the subject.
import { MillraceError, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { ownerOfResource } from '@millrace/stores';
import type { HistoryStore } from '../store/history-store.ts';

type Verb = 'threads-list' | 'threads-get' | 'messages-list';
/** `tenant` is taken from the subject; a tenant in the payload is ignored. */
type HistoryCaller = { tenant: string };
export type HistoryApi = {
  [V in Verb]: (request: ApiRequest<V>, caller: HistoryCaller) => Promise<ApiAnswer<V>>;
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
      throw new MillraceError(
        'message-invalid',
        '`last` counts from the end and `offset` from the start: a request may have only one of them.',
        {
          path: 'offset',
          remedy: 'Leave one of them out.',
        },
      );
    },
  };
}
