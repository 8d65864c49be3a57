import { API } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHistoryApi, type HistoryApi } from './history-api.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { block, listIds, messagesOfRun } from '../testing/history-fixtures.ts';

describe('the history API', () => {
  let store: HistoryStore;
  let api: HistoryApi;
  beforeEach(async () => {
    store = openSqliteHistoryStore({ path: ':memory:' });
    api = createHistoryApi(store);
    await store.saveBlock(block({ tenant: 'acme', threadId: 'a', messages: messagesOfRun('run-1', 5) }));
    await store.saveBlock(block({ tenant: 'acme', threadId: 'b', owner: 'bob' }));
  });
  afterEach(() => store.close());
  const acme = { tenant: 'acme' };
  const page = { limit: 100, offset: 0 };

  test("threads-list returns the tenant's threads, or those of one resource, in the shape of the contract", async () => {
    const all = await api['threads-list'](page, acme);
    expect(API['threads-list'].answer.parse(all)).toEqual(all);
    expect(all.total).toBe(2);
    const bobs = await api['threads-list']({ ...page, resourceId: 'bob' }, acme);
    expect(bobs.threads.map(({ id }) => id)).toEqual(['b']);
  });

  test('threads-get returns one thread', async () => {
    const thread = await api['threads-get']({ threadId: 'a' }, acme);
    expect(API['threads-get'].answer.parse(thread)).toEqual(thread);
    expect(thread).toMatchObject({ id: 'a', messageCount: 5 });
  });

  test('messages-list returns a page or the last messages, oldest first', async () => {
    const second = await api['messages-list']({ threadId: 'a', limit: 2, offset: 2 }, acme);
    expect(API['messages-list'].answer.parse(second)).toEqual(second);
    expect([listIds(second.messages), second.total]).toEqual([['run-1.2', 'run-1.3'], 5]);
    const last = await api['messages-list']({ threadId: 'a', ...page, last: 2 }, acme);
    expect([listIds(last.messages), last.total]).toEqual([['run-1.3', 'run-1.4'], 5]);
  });

  test('messages-list rejects `last` together with `offset` and names the field', async () => {
    const both = api['messages-list']({ threadId: 'a', limit: 2, offset: 2, last: 2 }, acme);
    await expect(both).rejects.toMatchObject({ code: 'message-invalid', path: 'offset' });
  });

  test('the history API returns nothing of another tenant', async () => {
    const rival = { tenant: 'rival' };
    expect(await api['threads-list'](page, rival)).toEqual({ threads: [], total: 0 });
    await expect(api['threads-get']({ threadId: 'a' }, rival)).rejects.toMatchObject({ code: 'thread-unknown' });
    await expect(api['messages-list']({ threadId: 'a', ...page }, rival)).rejects.toMatchObject({
      code: 'thread-unknown',
    });
  });
});
