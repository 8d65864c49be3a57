import { API, MillraceError, OPERATOR_CALLER, hashCaller, type Message } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHistoryApi, type HistoryApi } from './history-api.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { block, listIds, messagesOfRun } from '../testing/history-fixtures.ts';

describe('threads-clone', () => {
  const acme = { tenant: 'acme', caller: OPERATOR_CALLER };
  const page = { limit: 100, offset: 0 };
  let store: HistoryStore;
  let api: HistoryApi;
  beforeEach(async () => {
    store = openSqliteHistoryStore({ path: ':memory:' });
    api = createHistoryApi(store, async () => undefined);
    for (const [runId, agent] of [['run-1', 'demo'] as const, ['run-2', 'other'] as const])
      await store.saveBlock(block({ tenant: 'acme', threadId: 'a', runId, agent, messages: messagesOfRun(runId, 2) }));
    await api['threads-update']({ threadId: 'a', title: 'Sums', metadata: { pinned: true } }, acme);
  });
  afterEach(() => store.close());
  const clone = (upTo?: string, newThreadId = 'b') => api['threads-clone']({ threadId: 'a', upTo, newThreadId }, acme);
  const listMessages = async (threadId: string) => (await api['messages-list']({ threadId, ...page }, acme)).messages;
  const omitOwner = ({ id, role, createdAt, content }: Message) => ({ id, role, createdAt, content });

  test('a clone has the messages up to one, unchanged, with title, metadata and all agents, and the thread stays', async () => {
    const judged = { ...messagesOfRun('run-3', 1)[0], judges: ['pii'], threadId: 'a', resourceId: 'ada' };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record of judges is no member of the contract
    await store.saveBlock(block({ tenant: 'acme', threadId: 'a', runId: 'run-3', messages: [judged as Message] }));
    const whole = await clone();
    expect(API['threads-clone'].answer.parse(whole)).toEqual(whole);
    const expected = {
      id: 'b',
      resourceId: 'ada',
      title: 'Sums',
      metadata: { pinned: true, agents: ['demo', 'other'] },
    };
    expect(whole).toMatchObject({ ...expected, messageCount: 5 });
    const copies = await listMessages('b');
    expect(copies.map(omitOwner)).toEqual((await listMessages('a')).map(omitOwner));
    expect(copies[4]).toMatchObject({ threadId: 'b', judges: ['pii'] });
    expect(await clone('run-1.1', 'c')).toMatchObject({ ...expected, id: 'c', messageCount: 2 });
    expect(listIds(await listMessages('c'))).toEqual(['run-1.0', 'run-1.1']);
    await store.saveBlock(block({ tenant: 'acme', threadId: 'c', runId: 'run-1' }));
    expect(await api['threads-get']({ threadId: 'a' }, acme)).toMatchObject({ messageCount: 5 });
    expect((await api['threads-clone']({ threadId: 'a' }, acme)).id).toMatch(/^[\w-]{36}$/);
  });

  test('a repeated request clones once, and an existing thread is refused', async () => {
    await clone('run-1.1');
    expect(await clone('run-1.1')).toMatchObject({ id: 'b', messageCount: 2 });
    for (const request of [clone('run-2.0'), clone(undefined, 'a')])
      await expect(request).rejects.toMatchObject({ code: 'state-conflict', path: 'threadId' });
    await api['threads-create']({ threadId: 'empty', resourceId: 'ada', agents: [] }, acme);
    expect(await api['threads-clone']({ threadId: 'empty', newThreadId: 'e' }, acme)).toMatchObject({
      messageCount: 0,
    });
  });

  test('a message that the thread lacks, more than 1,000 messages and more than 4 MiB are refused by the name of the member', async () => {
    const refused = { code: 'message-invalid', path: 'upTo' };
    await expect(clone('none')).rejects.toMatchObject({ ...refused, message: 'Thread "a" has no message "none".' });
    await store.saveBlock(
      block({ tenant: 'acme', threadId: 'a', runId: 'many', messages: messagesOfRun('many', 997) }),
    );
    const bound = { ...refused, message: 'The clone of thread "a" exceeds a bound.' };
    for (const upTo of [undefined, 'many.996']) await expect(clone(upTo)).rejects.toMatchObject(bound);
    expect(await clone('many.995')).toMatchObject({ messageCount: 1_000 });
    const large = messagesOfRun('large', 5, 'x'.repeat(1_000_000));
    await store.saveBlock(block({ tenant: 'acme', threadId: 'l', runId: 'large', messages: large }));
    const whole = api['threads-clone']({ threadId: 'l' }, acme);
    await expect(whole).rejects.toMatchObject({ ...bound, message: expect.stringContaining('"l"') });
    expect(await api['threads-clone']({ threadId: 'l', upTo: 'large.3' }, acme)).toMatchObject({ messageCount: 4 });
  });

  test('an agent whose block is saved during the clone is in the list of the clone', async () => {
    const late = block({ tenant: 'acme', threadId: 'a', runId: 'late', agent: 'late' });
    const listLate: HistoryStore['listMessages'] = async (thread, range) => {
      await store.saveBlock(late);
      return store.listMessages(thread, range);
    };
    const slow = createHistoryApi({ ...store, listMessages: listLate }, async () => undefined);
    const cloned = await slow['threads-clone']({ threadId: 'a', newThreadId: 'b' }, acme);
    expect(cloned).toMatchObject({ messageCount: 6, metadata: { agents: ['demo', 'other', 'late'] } });
  });

  test('an erasure during the clone leaves no clone', async () => {
    const saveLate: HistoryStore['saveBlock'] = async (given) => {
      await store.eraseOwner({ tenant: 'acme', owner: 'ada' }, []);
      await store.saveBlock(given);
    };
    const slow = createHistoryApi({ ...store, saveBlock: saveLate }, async () => undefined);
    const cloned = slow['threads-clone']({ threadId: 'a', newThreadId: 'b' }, acme);
    await expect(cloned).rejects.toSatisfy(
      (error) => MillraceError.isInstance(error) && error.code === 'thread-unknown',
    );
    expect((await api['threads-list'](page, acme)).total).toBe(0);
  });

  test('a caller clones threads of its own resource only', async () => {
    const eve = { tenant: 'acme', caller: await hashCaller('acme', 'eve') };
    const ada = { tenant: 'acme', caller: await hashCaller('acme', 'ada') };
    const ask = (call: typeof eve) => api['threads-clone']({ threadId: 'a', newThreadId: 'b' }, call);
    await expect(ask(eve)).rejects.toMatchObject({ code: 'thread-unknown' });
    expect(await ask(ada)).toMatchObject({ resourceId: 'ada', messageCount: 4 });
  });
});
