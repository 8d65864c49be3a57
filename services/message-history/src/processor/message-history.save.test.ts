import { DEFAULT_THREAD_TITLE, type Message } from '@millrace/contracts';
import { storeUnavailable } from '@millrace/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { callHistory, RUN } from '../testing/call-history.ts';
import { createFailingStore } from '../testing/failing-store.ts';
import { useHistoryFile } from '../testing/history-file.ts';
import { listIds, message } from '../testing/history-fixtures.ts';

const THREAD = { tenant: RUN.tenant, threadId: 'thread-1' };
const TURN = { input: [message('u1')], response: [message('a1', 'hello', 'assistant')] };

// The names up to "preserves existing message IDs" are those of the reference's memory tests.
describe('MessageHistoryProcessor, output', () => {
  const file = useHistoryFile();
  const listSaved = async (): Promise<Message[]> =>
    (await file.store.listMessages(THREAD, { limit: 100, offset: 0 })).messages;
  const expectNoThread = () => expect(file.store.getThread(THREAD)).rejects.toMatchObject({ code: 'thread-unknown' });

  test('saves user, assistant, tool-call, and tool-result messages', async () => {
    const invocation = { toolCallId: 'c1', toolName: 'clock', args: {} };
    const makeMessage = (id: string, role: Message['role'], part: Message['content']['parts'][number]): Message => ({
      ...message(id, '', role),
      content: { format: 2, parts: [part] },
    });
    const call = makeMessage('a1', 'assistant', {
      type: 'tool-invocation',
      toolInvocation: { ...invocation, state: 'call' },
    });
    const result = makeMessage('t1', 'tool', {
      type: 'tool-invocation',
      toolInvocation: { ...invocation, state: 'result', result: '12:00' },
    });
    const answer = message('a2', 'It is noon.', 'assistant');
    await callHistory(file.store, 'processOutputResult', {
      messages: { input: [message('u1', 'What time is it?')], response: [call, result, answer] },
    });

    const of = { threadId: 'thread-1', resourceId: 'ada' };
    expect(await listSaved()).toEqual([
      { ...message('u1', 'What time is it?'), ...of },
      { ...call, ...of },
      { ...result, ...of },
      { ...answer, ...of },
    ]);
  });

  test('filters out ONLY system messages', async () => {
    const system = message('s1', 'You are helpful.', 'system');
    await callHistory(file.store, 'processOutputResult', {
      messages: { input: [system, ...TURN.input], response: [message('s2', 'Be brief.', 'system'), ...TURN.response] },
    });
    expect(listIds(await listSaved())).toEqual(['u1', 'a1']);
  });

  test('updates thread metadata', async () => {
    await callHistory(file.store, 'processOutputResult', { messages: TURN });
    expect(await file.store.getThread(THREAD)).toMatchObject({
      title: DEFAULT_THREAD_TITLE,
      resourceId: 'ada',
      messageCount: 2,
    });
    await callHistory(file.store, 'processOutputResult', {
      run: { runId: 'run-10' },
      messages: { input: [message('u2')] },
    });
    const thread = await file.store.getThread(THREAD);
    expect(thread.messageCount).toBe(3);
    expect(thread.lastMessageAt).toBe(thread.updatedAt);
  });

  test('returns original messages when no threadId', async () => {
    const failing = createFailingStore();
    const { verdict, messages } = await callHistory(failing, 'processOutputResult', {
      run: { threadId: undefined },
      messages: TURN,
    });
    expect(verdict).toEqual({ type: 'continue' });
    expect(messages).toEqual([...TURN.input, ...TURN.response]);
    expect(failing.calls).toEqual([]);
  });

  test('handles messages with only system messages', async () => {
    const { verdict } = await callHistory(file.store, 'processOutputResult', {
      messages: { input: [message('s1', 'x', 'system')] },
    });
    expect(verdict).toEqual({ type: 'continue' });
    await expectNoThread();
  });

  test('generates message IDs if not provided', async () => {
    const nameless = { input: [message('')], response: [message('', 'hello', 'assistant'), message('a2')] };
    await callHistory(file.store, 'processOutputResult', { messages: nameless });
    await callHistory(file.store, 'processOutputResult', { messages: nameless });
    expect(listIds(await listSaved())).toEqual(['run-9.0', 'run-9.1', 'a2']);
  });

  test('preserves existing message IDs', async () => {
    const ids = ['msg-1', 'MSG 1', 'ü:{*}'];
    await callHistory(file.store, 'processOutputResult', { messages: { input: ids.map((id) => message(id)) } });
    expect(listIds(await listSaved())).toEqual(ids);
  });

  test('message-history stores nothing if no model answered', async () => {
    const { verdict } = await callHistory(file.store, 'processOutputResult', { messages: TURN, answered: false });
    expect(verdict).toEqual({ type: 'continue' });
    await expectNoThread();
  });

  test('message-history stores neither recalled messages nor messages that processors added', async () => {
    await callHistory(file.store, 'processOutputResult', {
      messages: { ...TURN, remembered: [message('old')], context: [message('file', 'the content of a file')] },
    });
    expect(listIds(await listSaved())).toEqual(['u1', 'a1']);
  });

  test("message-history uses the run's thread and resource even if a message names others", async () => {
    const lying = { ...message('u1'), threadId: 'thread-2', resourceId: 'eve' };
    await callHistory(file.store, 'processOutputResult', { messages: { input: [lying] } });
    expect(await listSaved()).toMatchObject([{ threadId: 'thread-1', resourceId: 'ada' }]);
    expect(await file.store.listThreads({ tenant: RUN.tenant, owner: 'eve' }, { limit: 1, offset: 0 })).toMatchObject({
      total: 0,
    });
  });

  test('message-history rejects the save of a fenced owner', async () => {
    await callHistory(file.store, 'processOutputResult', { run: { epoch: 2 }, messages: TURN });
    const { verdict } = await callHistory(file.store, 'processOutputResult', {
      messages: { input: [message('u1', 'too late')] },
    });
    expect(verdict).toMatchObject({ type: 'failure', code: 'save-superseded' });
    expect(listIds(await listSaved())).toEqual(['u1', 'a1']);
  });

  test('message-history starts no save after the stage ended', async () => {
    const { verdict } = await callHistory(file.store, 'processOutputResult', {
      messages: TURN,
      signal: AbortSignal.abort(),
    });
    expect(verdict?.type).toBe('failure');
    await expectNoThread();
  });
});

describe('the thread of a run without a resource', () => {
  let store: HistoryStore;
  beforeEach(() => {
    store = openSqliteHistoryStore({ path: ':memory:' });
  });
  afterEach(() => store.close());
  const run = (resourceId?: string) => ({ threadId: 't1', resourceId });
  const saveAs = (resourceId?: string) =>
    callHistory(store, 'processOutputResult', { run: run(resourceId), messages: { input: [message('u1')] } });

  test("a thread without a resource owns itself, and no resource owns it, not even one with the tenant's name", async () => {
    await saveAs();
    expect(await store.getThread({ tenant: RUN.tenant, threadId: 't1' })).not.toHaveProperty('resourceId');
    for (const resourceId of [RUN.tenant, 'ada', 't1', ' thread:t1']) {
      const { verdict } = await callHistory(store, 'processInput', { run: run(resourceId) });
      expect(verdict).toMatchObject({ type: 'failure', code: 'thread-foreign' });
    }
    const { messages } = await callHistory(store, 'processInput', { run: run() });
    expect(listIds(messages)).toEqual(['u1']);
  });

  test('a run without a resource cannot open a thread that a resource created', async () => {
    await saveAs('ada');
    const { verdict, messages } = await callHistory(store, 'processInput', { run: run() });
    expect(verdict).toMatchObject({ type: 'failure', code: 'thread-foreign' });
    expect(messages).toEqual([]);
    expect((await saveAs()).verdict).toMatchObject({ type: 'failure', code: 'thread-foreign' });
  });
});

describe('a short store outage', () => {
  test('message-history retries the save during a short outage, and the run does not fail', async () => {
    const store = openSqliteHistoryStore({ path: ':memory:' });
    let away = 3;
    const returning: HistoryStore = {
      ...store,
      async saveBlock(block, signal) {
        if (away-- > 0) throw storeUnavailable('message store', 'save', new Error('connection refused'));
        return store.saveBlock(block, signal);
      },
    };
    const { verdict } = await callHistory(returning, 'processOutputResult', { messages: TURN });
    expect(verdict).toEqual({ type: 'continue' });
    expect(await store.getThread(THREAD)).toMatchObject({ messageCount: 2 });
    await store.close();
  });
});
