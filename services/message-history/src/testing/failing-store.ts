// A store that fails every call and records the calls.
import { storeUnavailable } from '@millrace/stores';
import type { HistoryStore } from '../store/history-store.ts';

export function createFailingStore(): HistoryStore & { calls: string[] } {
  const asked: string[] = [];
  const fail = (method: string) => async (): Promise<never> => {
    asked.push(method);
    throw storeUnavailable('message store', 'answer', new Error('connection refused'));
  };
  return {
    calls: asked,
    recallLast: fail('recallLast'),
    saveBlock: fail('saveBlock'),
    listMessages: fail('listMessages'),
    listLastMessages: fail('listLastMessages'),
    listThreads: fail('listThreads'),
    getThread: fail('getThread'),
    nameThread: fail('nameThread'),
    updateThread: fail('updateThread'),
    deleteThread: fail('deleteThread'),
    findMessages: fail('findMessages'),
    deleteMessages: fail('deleteMessages'),
    findTail: fail('findTail'),
    truncateThread: fail('truncateThread'),
    eraseOwner: fail('eraseOwner'),
    close: async () => undefined,
  };
}
