import { API, OPERATOR_CALLER, hashCaller } from '@millrace/contracts';
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
  const acme = { tenant: 'acme', caller: OPERATOR_CALLER };
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
    const rival = { tenant: 'rival', caller: OPERATOR_CALLER };
    expect(await api['threads-list'](page, rival)).toEqual({ threads: [], total: 0 });
    await expect(api['threads-get']({ threadId: 'a' }, rival)).rejects.toMatchObject({ code: 'thread-unknown' });
    await expect(api['messages-list']({ threadId: 'a', ...page }, rival)).rejects.toMatchObject({
      code: 'thread-unknown',
    });
  });

  test('A caller reads the threads of its own resource only, and the others are unknown to it', async () => {
    const bob = { tenant: 'acme', caller: await hashCaller('acme', 'bob') };
    const eve = { tenant: 'acme', caller: await hashCaller('acme', 'eve') };
    const own = await api['threads-list']({ ...page, resourceId: 'bob' }, bob);
    expect(own.threads.map(({ id }) => id)).toEqual(['b']);
    expect(await api['threads-get']({ threadId: 'b' }, bob)).toMatchObject({ resourceId: 'bob' });
    expect((await api['messages-list']({ threadId: 'b', ...page }, bob)).total).toBeGreaterThan(0);
    for (const [call, threadId] of [[eve, 'b'] as const, [bob, 'a'] as const]) {
      await expect(api['threads-get']({ threadId }, call)).rejects.toMatchObject({ code: 'thread-unknown' });
      const read = api['messages-list']({ threadId, ...page }, call);
      await expect(read).rejects.toMatchObject({ code: 'thread-unknown' });
      const last = api['messages-list']({ threadId, ...page, last: 1 }, call);
      await expect(last).rejects.toMatchObject({ code: 'thread-unknown' });
    }
    for (const resourceId of ['bob', undefined])
      await expect(api['threads-list']({ ...page, resourceId }, eve)).rejects.toMatchObject({ path: 'resourceId' });
  });
});
