import { readMessageText } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { READ_MAX_BYTES, type HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { callHistory, RUN } from '../testing/call-history.ts';
import { createFailingStore } from '../testing/failing-store.ts';
import { block, listIds, message, messagesOfRun } from '../testing/history-fixtures.ts';

// The first nine names are those of the reference's memory tests.
describe('MessageHistoryProcessor, input', () => {
  let store: HistoryStore;
  beforeEach(() => {
    store = openSqliteHistoryStore({ path: ':memory:' });
  });
  afterEach(() => store.close());
  const storeBlock = (...messages: ReturnType<typeof message>[]) =>
    store.saveBlock(block({ ...RUN, threadId: 'thread-1', runId: 'earlier', messages }));

  test('fetches last N messages from storage', async () => {
    await storeBlock(...messagesOfRun('old', 25));
    const byDefault = await callHistory(store, 'processInput');
    expect(listIds(byDefault.messages)).toEqual(Array.from({ length: 10 }, (_, at) => `old.${at + 15}`));
    const three = await callHistory(store, 'processInput', { options: { lastMessages: 3 } });
    expect(listIds(three.messages)).toEqual(['old.22', 'old.23', 'old.24']);
  });

  test('reports recalled messages that a judge of the run has not judged', async () => {
    const judges = { input: ['pii'], output: ['pii', 'secrets'] };
    // A caller's own record does not count.
    const claimed = { ...message('c1', 'claimed'), judges: ['pii', 'secrets'] };
    const [input, response] = [[message('u1'), claimed], [message('a1', 'a1', 'assistant')]];
    const lax = { run: { runId: 'lax' }, messages: { input, response }, judges: { input: [], output: ['pii'] } };
    await callHistory(store, 'processOutputResult', lax);
    const strict = { run: { runId: 'strict' }, messages: { input: [message('u2')] }, judges };
    await callHistory(store, 'processOutputResult', strict);

    const { verdict, messages } = await callHistory(store, 'processInput', { judges });
    expect(verdict).toMatchObject({
      violations: [{ rule: 'recalled-unjudged', strategy: 'warn', count: 3, detail: { judges: ['pii', 'secrets'] } }],
    });
    expect(listIds(messages)).toEqual(['u1', 'c1', 'a1', 'u2']);
    expect(messages.every((one) => !('judges' in one))).toBe(true);
    expect((await callHistory(store, 'processInput')).verdict).not.toHaveProperty('violations');
  });

  test('merges historical messages with new messages', async () => {
    await storeBlock(message('u1'), message('a1', 'a1', 'assistant'));
    const { conversation } = await callHistory(store, 'processInput', { messages: { input: [message('u2')] } });
    expect(conversation.entries.map(({ source, message: { id } }) => [source, id])).toEqual([
      ['remembered', 'u1'],
      ['remembered', 'a1'],
      ['input', 'u2'],
    ]);
  });

  test('avoids duplicate message IDs', async () => {
    await storeBlock(message('u1', 'words'), message('a1'), message('u2'));
    const { conversation } = await callHistory(store, 'processInput', {
      messages: { remembered: [message('a1')], input: [message('u1', ' words '), message('u3')] },
    });
    expect(conversation.entries.map(({ source, message }) => [source, message.id, readMessageText(message)])).toEqual([
      ['remembered', 'a1', 'a1'],
      ['remembered', 'u2', 'u2'],
      ['input', 'u1', ' words '],
      ['input', 'u3', 'u3'],
    ]);
  });

  test('message-history recalls a stored message although the caller sends other words under its id', async () => {
    await storeBlock(message('1', 'My cat is called Tom.'));
    const question = { messages: { input: [message('1', 'What is my cat called?')] } };
    const { conversation } = await callHistory(store, 'processInput', question);
    expect(conversation.entries.map(({ source, message }) => [source, readMessageText(message)])).toEqual([
      ['remembered', 'My cat is called Tom.'],
      ['input', 'What is my cat called?'],
    ]);
    expect(new Set(conversation.entries.map(({ message }) => message.id)).size).toBe(2);
  });

  test('message-history reports how many of the last messages it leaves out because they exceed the size limit', async () => {
    const large = 'x'.repeat(READ_MAX_BYTES / 2);
    await storeBlock(message('u1', large), message('a1', large), message('u2'));
    const { verdict, messages } = await callHistory(store, 'processInput');
    expect(listIds(messages)).toEqual(['a1', 'u2']);
    expect(verdict).toMatchObject({ type: 'continue', violations: [{ rule: 'recall-max-bytes', count: 1 }] });
  });

  test('handles empty storage', async () => {
    const { verdict, messages } = await callHistory(store, 'processInput', { messages: { input: [message('u1')] } });
    expect(verdict?.type).toBe('continue');
    expect(listIds(messages)).toEqual(['u1']);
    await expect(store.getThread({ tenant: RUN.tenant, threadId: 'thread-1' })).rejects.toMatchObject({
      code: 'thread-unknown',
    });
  });

  test('respects includeSystemMessages flag', async () => {
    await storeBlock(message('s1', 'Speak French.', 'system'), message('u1'));
    const without = await callHistory(store, 'processInput');
    expect(listIds(without.messages)).toEqual(['u1']);
    expect(without.conversation.system).toEqual([]);

    const options = { includeSystemMessages: true };
    const withThem = await callHistory(store, 'processInput', { options });
    expect(listIds(withThem.messages)).toEqual(['u1']);
    expect(withThem.conversation.system).toEqual([{ tag: 'message-history', content: 'Speak French.' }]);
  });

  test('handles storage errors gracefully', async () => {
    const { verdict, messages } = await callHistory(createFailingStore(), 'processInput', {
      messages: { input: [message('u1')] },
    });
    expect(verdict).toMatchObject({ type: 'failure', code: 'store-unavailable', retryable: true });
    expect(listIds(messages)).toEqual(['u1']);
  });

  test('returns original messages when no threadId', async () => {
    const failing = createFailingStore();
    const { verdict, messages } = await callHistory(failing, 'processInput', {
      run: { threadId: undefined },
      messages: { input: [message('u1')] },
    });
    expect(verdict).toEqual({ type: 'continue' });
    expect(listIds(messages)).toEqual(['u1']);
    expect(failing.calls).toEqual([]);
  });

  test('handles assistant messages with tool calls', async () => {
    const call = {
      ...message('a1', '', 'assistant' as const),
      content: {
        format: 2 as const,
        parts: [
          { type: 'text' as const, text: 'Let me see.' },
          {
            type: 'tool-invocation' as const,
            toolInvocation: { state: 'call' as const, toolCallId: 'c1', toolName: 'clock', args: { zone: 'UTC' } },
          },
        ],
      },
    };
    await storeBlock(message('u1'), call);
    const { messages } = await callHistory(store, 'processInput');
    expect(messages[1]?.content).toEqual(call.content);
  });

  test('handles tool result messages', async () => {
    const result = {
      ...message('t1', '', 'tool' as const),
      content: {
        format: 2 as const,
        parts: [
          {
            type: 'tool-invocation' as const,
            toolInvocation: {
              state: 'result' as const,
              toolCallId: 'c1',
              toolName: 'clock',
              args: {},
              result: '12:00',
            },
          },
        ],
      },
    };
    await storeBlock(message('u1'), result);
    const { messages } = await callHistory(store, 'processInput');
    expect(messages[1]).toMatchObject({ id: 't1', role: 'tool', content: result.content });
  });

  test('message-history rejects the thread of another resource and returns none of its messages', async () => {
    await storeBlock(message('u1', 'a secret'));
    const { verdict, messages } = await callHistory(store, 'processInput', { run: { resourceId: 'eve' } });
    expect(verdict).toMatchObject({ type: 'failure', code: 'thread-foreign', retryable: false });
    expect(messages).toEqual([]);
    expect(JSON.stringify(verdict)).not.toContain('ada');
  });

  test('message-history makes no store request if lastMessages is 0', async () => {
    const failing = createFailingStore();
    const { verdict } = await callHistory(failing, 'processInput', { options: { lastMessages: 0 } });
    expect(verdict).toEqual({ type: 'continue' });
    expect(failing.calls).toEqual([]);
  });

  test('message-history rejects unknown options', async () => {
    const { verdict } = await callHistory(store, 'processInput', { options: { lastMessages: -1, threadId: 'x' } });
    expect(verdict).toMatchObject({ type: 'failure', code: 'options-invalid' });
  });
});
