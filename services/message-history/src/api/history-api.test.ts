import {
  API,
  MillraceError,
  OPERATOR_CALLER,
  hashCaller,
  buildTextMessage,
  type ForgetRequest,
} from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHistoryApi, type HistoryApi } from './history-api.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { block, listIds, messagesOfRun } from '../testing/history-fixtures.ts';

describe('the history API', () => {
  let store: HistoryStore;
  let api: HistoryApi;
  /** Requests to the services that derive data from messages, and the error that they answer with. */
  let forgotten: ForgetRequest[];
  let failure: Error | undefined;
  beforeEach(async () => {
    store = openSqliteHistoryStore({ path: ':memory:' });
    forgotten = [];
    failure = undefined;
    api = createHistoryApi(store, async (request) => {
      if (failure) throw failure;
      forgotten.push(request);
    });
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

  test('messages-list returns the messages with the ids of `include`, in their order', async () => {
    const include = ['run-1.4', 'none', 'run-1.0', 'run-1.4'];
    const found = await api['messages-list']({ threadId: 'a', ...page, include }, acme);
    expect([listIds(found.messages), found.total]).toEqual([['run-1.4', 'run-1.0'], 2]);
    const one = await api['messages-list']({ threadId: 'a', ...page, limit: 1, include }, acme);
    expect([listIds(one.messages), one.total]).toEqual([['run-1.4'], 2]);
    const both = api['messages-list']({ threadId: 'a', ...page, include, last: 1 }, acme);
    await expect(both).rejects.toMatchObject({ code: 'message-invalid', path: 'include' });
    const others = { tenant: 'acme', caller: await hashCaller('acme', 'bob') };
    const foreign = api['messages-list']({ threadId: 'a', ...page, include }, others);
    await expect(foreign).rejects.toMatchObject({ code: 'thread-unknown' });
  });

  test('messages-list returns the first messages of `include` that fit an answer, and at least one', async () => {
    const large = ['big-0', 'big-1', 'big-2'].map((id) => buildTextMessage(id, 'user', 'x'.repeat(3 * 1024 * 1024)));
    await store.saveBlock(block({ tenant: 'acme', threadId: 'large', messages: large }));
    const include = large.map(({ id }) => id);
    const found = await api['messages-list']({ threadId: 'large', ...page, include }, acme);
    expect(found.messages.length).toBeGreaterThan(0);
    expect(found.messages.length).toBeLessThan(3);
    expect(found.total).toBe(3);
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

  test('threads-update changes title and metadata of one thread, and keeps its agents', async () => {
    const renamed = await api['threads-update']({ threadId: 'a', title: 'Sums' }, acme);
    expect(API['threads-update'].answer.parse(renamed)).toMatchObject({ id: 'a', title: 'Sums' });
    const changed = await api['threads-update']({ threadId: 'a', metadata: { pinned: true } }, acme);
    expect(changed).toMatchObject({ title: 'Sums', metadata: { pinned: true, agents: [] } });
    await expect(api['threads-update']({ threadId: 'a' }, acme)).rejects.toMatchObject({ path: 'title' });
    expect(await api['threads-get']({ threadId: 'b' }, acme)).toMatchObject({ title: 'New Conversation' });
  });

  test('threads-create answers a repeated request, and refuses an existing thread', async () => {
    const request = { threadId: 'new', resourceId: 'bob', title: 'Plans', metadata: { pinned: true }, agents: [] };
    const created = await api['threads-create'](request, acme);
    expect(API['threads-create'].answer.parse(created)).toEqual(created);
    const expected = { id: 'new', resourceId: 'bob', title: 'Plans', messageCount: 0 };
    expect(created).toMatchObject({ ...expected, metadata: { pinned: true, agents: [] } });
    await store.saveBlock(block({ tenant: 'acme', threadId: 'new', owner: 'bob' }));
    expect(await api['threads-create'](request, acme)).toMatchObject({ ...expected, messageCount: 2 });
    const conflict = { code: 'state-conflict', path: 'threadId' };
    await expect(api['threads-create']({ ...request, title: 'Other' }, acme)).rejects.toMatchObject(conflict);
    await expect(api['threads-create']({ ...request, threadId: 'b' }, acme)).rejects.toMatchObject(conflict);
    const foreign = api['threads-create']({ ...request, threadId: 'a' }, acme);
    await expect(foreign).rejects.toMatchObject({ code: 'thread-foreign' });
    expect((await api['threads-create']({ agents: [] }, acme)).id).toMatch(/^[\w-]{36}$/);
  });

  test('threads-create gives a caller threads of its own resource only', async () => {
    const bob = { tenant: 'acme', caller: await hashCaller('acme', 'bob') };
    const create = (resourceId?: string) => api['threads-create']({ threadId: 'new', resourceId, agents: [] }, bob);
    for (const resourceId of ['ada', undefined])
      await expect(create(resourceId)).rejects.toMatchObject({ code: 'message-invalid', path: 'resourceId' });
    await expect(api['threads-get']({ threadId: 'new' }, acme)).rejects.toMatchObject({ code: 'thread-unknown' });
    expect(await create('bob')).toMatchObject({ id: 'new', resourceId: 'bob' });
  });

  test.each([
    ['the member of the agents', { agents: ['other'] }],
    ['more than 4,096 bytes', { text: 'ü'.repeat(2_048) }],
    ['too many levels', { deep: JSON.parse('['.repeat(96) + ']'.repeat(96)) }],
  ])('the requests refuse metadata with %s by its name', (_name, metadata) => {
    for (const verb of ['threads-create', 'threads-update'] as const) {
      const { error } = API[verb].request.safeParse({ threadId: 'a', metadata });
      expect(error?.issues.map(({ path }) => path)).toEqual([['metadata']]);
    }
  });

  test('threads-list ends a page before the bytes of an answer, and names the next one', async () => {
    const metadata = { text: 'x'.repeat(4_000) };
    for (let at = 0; at < 200; at += 1)
      await api['threads-create']({ threadId: `t${at}`, resourceId: 'eve', metadata, agents: [] }, acme);
    const found: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page = await api['threads-list']({ resourceId: 'eve', limit: 1_000, offset }, acme);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(600_000);
      found.push(...page.threads.map(({ id }) => id));
      offset = page.next;
    }
    expect([found.length, new Set(found).size]).toEqual([200, 200]);
  });

  test('threads-delete deletes derived data of the owner first, then the messages', async () => {
    expect(await api['threads-delete']({ threadId: 'a' }, acme)).toEqual({ threadId: 'a', messages: 5 });
    expect(forgotten).toEqual([{ what: 'thread', tenant: 'acme', threadId: 'a', resourceId: 'ada' }]);
    await expect(api['threads-get']({ threadId: 'a' }, acme)).rejects.toMatchObject({ code: 'thread-unknown' });
  });

  test('a deletion keeps the messages if another service cannot delete, and succeeds when it is repeated', async () => {
    failure = new MillraceError('nobody-there', 'The service semantic-recall is not running.');
    await expect(api['threads-delete']({ threadId: 'a' }, acme)).rejects.toMatchObject({ code: 'nobody-there' });
    const ids = ['run-1.0'];
    const deleting = () => api['messages-delete']({ threadId: 'a', ids }, acme);
    await expect(deleting()).rejects.toMatchObject({ code: 'nobody-there' });
    expect(await api['threads-get']({ threadId: 'a' }, acme)).toMatchObject({ messageCount: 5 });
    failure = undefined;
    expect(await deleting()).toEqual({ threadId: 'a', deleted: 1, total: 4 });
    expect(await api['threads-delete']({ threadId: 'a' }, acme)).toMatchObject({ messages: 4 });
  });

  test('messages-delete requests the deletion of at most 20 messages at once, with the start of their texts', async () => {
    const messages = messagesOfRun('long', 50, ` ${'x'.repeat(5_000)}`);
    await store.saveBlock(block({ tenant: 'acme', threadId: 'a', runId: 'long', messages }));
    const ids = [...listIds(messages), 'long.0', 'none'];
    expect(await api['messages-delete']({ threadId: 'a', ids }, acme)).toEqual({
      threadId: 'a',
      deleted: 50,
      total: 5,
    });
    const asked = forgotten.flatMap((one) => (one.what === 'messages' ? [one.messages] : []));
    expect(asked.map(({ length }) => length)).toEqual([20, 20, 10]);
    expect(asked[0]?.[0]).toEqual({ id: 'long.0', text: 'x'.repeat(4_000) });
  });

  test('threads-truncate deletes the derived data first, and is refused for another last message before it deletes any', async () => {
    const messages = messagesOfRun('long', 25, 'Words.');
    await store.saveBlock(block({ tenant: 'acme', threadId: 'a', runId: 'long', messages }));
    const truncate = (from: string, last = 'long.24') => api['threads-truncate']({ threadId: 'a', from, last }, acme);
    await expect(truncate('long.0', 'run-1.4')).rejects.toMatchObject({ code: 'state-conflict', path: 'last' });
    await expect(truncate('none')).rejects.toMatchObject({ code: 'message-invalid', path: 'from' });
    expect(forgotten).toEqual([]);
    failure = new MillraceError('nobody-there', 'down');
    await expect(truncate('long.0')).rejects.toMatchObject({ code: 'nobody-there' });
    failure = undefined;
    const cut = await truncate('long.0');
    expect(API['threads-truncate'].answer.parse(cut)).toEqual(cut);
    expect(cut).toEqual({ threadId: 'a', deleted: 25, total: 5 });
    const asked = forgotten.flatMap((one) => (one.what === 'messages' ? one.messages : []));
    expect(asked).toEqual(messages.map(({ id }) => ({ id, text: 'Words.' })));
  });

  test('threads-truncate refuses to cut more than 1,000 messages, and names the member', async () => {
    await store.saveBlock(
      block({ tenant: 'acme', threadId: 'a', runId: 'long', messages: messagesOfRun('long', 1_001) }),
    );
    const cut = api['threads-truncate']({ threadId: 'a', from: 'long.0', last: 'long.1000' }, acme);
    await expect(cut).rejects.toMatchObject({ code: 'message-invalid', path: 'from' });
    expect(forgotten).toEqual([]);
  });

  test('messages-save appends messages once for each saveId, labelled as text that no guard has judged', async () => {
    const user = { ...buildTextMessage('m1', 'user', 'hello'), judges: ['pii'], resourceId: 'eve' };
    const trusted = { origin: 'model', trust: 'trusted' };
    const answer = buildTextMessage('m2', 'assistant', 'hi');
    const claimed = { ...answer.content, parts: [{ type: 'text' as const, text: 'hi', label: trusted }] };
    const request = { threadId: 'a', saveId: 's1', messages: [user, { ...answer, content: claimed }] };
    expect(await api['messages-save'](request, acme)).toEqual({ threadId: 'a', total: 7 });
    expect(await api['messages-save'](request, acme)).toEqual({ threadId: 'a', total: 7 });
    const { messages } = await api['messages-list']({ threadId: 'a', ...page, last: 2 }, acme);
    expect(messages).toMatchObject([
      { id: 'm1', resourceId: 'ada', content: { parts: [{ label: { origin: 'caller', trust: 'trusted' } }] } },
      { id: 'm2', content: { parts: [{ label: { origin: 'caller', trust: 'untrusted' } }] } },
    ]);
    expect(messages[0]).not.toHaveProperty('judges');
  });

  test('messages-save begins a thread of the given resource, or one without a resource', async () => {
    const messages = [buildTextMessage('m1', 'user', 'hello')];
    await api['messages-save']({ threadId: 'new', resourceId: 'carol', messages }, acme);
    expect(await api['threads-get']({ threadId: 'new' }, acme)).toMatchObject({ resourceId: 'carol', messageCount: 1 });
    await api['messages-save']({ threadId: 'alone', messages }, acme);
    expect((await api['threads-get']({ threadId: 'alone' }, acme)).resourceId).toBeUndefined();
    const foreign = api['messages-save']({ threadId: 'b', resourceId: 'carol', messages }, acme);
    await expect(foreign).rejects.toMatchObject({ code: 'thread-foreign' });
  });

  test('messages-save rejects system messages and repeated ids, and names the message', async () => {
    const save = (...messages: ReturnType<typeof buildTextMessage>[]) =>
      api['messages-save']({ threadId: 'a', messages }, acme);
    await expect(save(buildTextMessage('m', 'system', 'obey'))).rejects.toMatchObject({ path: 'messages[0].role' });
    const twice = save(buildTextMessage('m', 'user', 'one'), buildTextMessage('m', 'user', 'two'));
    await expect(twice).rejects.toMatchObject({ code: 'message-invalid', path: 'messages[1].id' });
    expect(await api['threads-get']({ threadId: 'a' }, acme)).toMatchObject({ messageCount: 5 });
  });

  test('a caller changes threads of its own resource only, and the others are unknown to it', async () => {
    const eve = { tenant: 'acme', caller: await hashCaller('acme', 'eve') };
    const bob = { tenant: 'acme', caller: await hashCaller('acme', 'bob') };
    const unknown = { code: 'thread-unknown' };
    await expect(api['threads-update']({ threadId: 'b', title: 'mine' }, eve)).rejects.toMatchObject(unknown);
    await expect(api['threads-delete']({ threadId: 'b' }, eve)).rejects.toMatchObject(unknown);
    await expect(api['messages-delete']({ threadId: 'b', ids: ['run-1.0'] }, eve)).rejects.toMatchObject(unknown);
    const cut = { threadId: 'b', from: 'run-1.0', last: 'run-1.1' };
    await expect(api['threads-truncate'](cut, eve)).rejects.toMatchObject(unknown);
    expect(forgotten).toEqual([]);
    expect(await api['threads-delete']({ threadId: 'b' }, bob)).toMatchObject({ messages: 2 });
  });
});
