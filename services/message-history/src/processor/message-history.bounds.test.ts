import { processorBounds } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { defineMessageHistory } from './message-history.ts';

let store: HistoryStore;
beforeAll(() => {
  store = openSqliteHistoryStore({ path: ':memory:' });
});
afterAll(() => store.close());

processorBounds(() =>
  defineMessageHistory({ store, forget: async () => undefined, titles: { request: () => undefined } }),
);
