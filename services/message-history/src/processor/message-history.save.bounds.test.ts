// Saves that fail until the retry period ends. Each test waits for the whole period.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { callHistory, RUN } from '../testing/call-history.ts';
import { createFailingStore } from '../testing/failing-store.ts';
import { useHistoryFile } from '../testing/history-file.ts';
import { listIds, message } from '../testing/history-fixtures.ts';

const THREAD = { tenant: RUN.tenant, threadId: 'thread-1' };
const TURN = { input: [message('u1')], response: [message('a1', 'hello', 'assistant')] };

// Uses the names of the reference's memory tests.
describe('MessageHistoryProcessor, output', () => {
  const file = useHistoryFile();

  test('handles save failures gracefully', async () => {
    const { verdict, messages } = await callHistory(createFailingStore(), 'processOutputResult', { messages: TURN });
    expect(verdict).toMatchObject({ type: 'failure', code: 'store-unavailable', retryable: true });
    expect(messages).toEqual([...TURN.input, ...TURN.response]);
  });

  test('handles thread update failures gracefully', async () => {
    await callHistory(file.store, 'processOutputResult', { messages: TURN });
    const other = new DatabaseSync(file.path);
    other.exec(
      `CREATE TRIGGER broken BEFORE UPDATE OF updated_at ON history_threads BEGIN SELECT raise(FAIL, 'disk full'); END`,
    );
    other.close();
    const { verdict } = await callHistory(file.store, 'processOutputResult', {
      run: { runId: 'run-10' },
      messages: { input: [message('u2')] },
    });
    expect(verdict).toMatchObject({ type: 'failure', code: 'store-unavailable' });
    expect(listIds((await file.store.listMessages(THREAD, { limit: 100, offset: 0 })).messages)).toEqual(['u1', 'a1']);
  });
});
