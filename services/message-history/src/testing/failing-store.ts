// A store that does not answer, and counts how often it was asked.
import { storeUnavailable } from '@millrace/stores';
import type { HistoryStore } from '../store/history-store.ts';

export function createFailingStore(): HistoryStore & { asked: string[] } {
  const asked: string[] = [];
  const fail = (method: string) => async (): Promise<never> => {
    asked.push(method);
    throw storeUnavailable('message store', 'answer', new Error('connection refused'));
  };
  return {
    asked,
    recallLast: fail('recallLast'),
    saveBlock: fail('saveBlock'),
    listMessages: fail('listMessages'),
    listLastMessages: fail('listLastMessages'),
    listThreads: fail('listThreads'),
    getThread: fail('getThread'),
    close: async () => undefined,
  };
}
