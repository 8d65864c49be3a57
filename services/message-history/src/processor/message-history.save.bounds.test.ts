// Saves that fail for longer than they are tried again: each waits for the end of that time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { callHistory, RUN } from '../testing/call-history.ts';
import { createFailingStore } from '../testing/failing-store.ts';
import { idsOf, message } from '../testing/history-fixtures.ts';

const THREAD = { tenant: RUN.tenant, threadId: 'thread-1' };
const TURN = { input: [message('u1')], response: [message('a1', 'hello', 'assistant')] };

// The names are those of the reference's memory tests.
describe('MessageHistoryProcessor, output', () => {
  let folder: string;
  let path: string;
  let store: HistoryStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-history-'));
    path = join(folder, 'history.db');
    store = openSqliteHistoryStore({ path });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test('handles save failures gracefully', async () => {
    const { verdict, messages } = await callHistory(createFailingStore(), 'processOutputResult', { messages: TURN });
    expect(verdict).toMatchObject({ type: 'failure', code: 'store-unavailable', retryable: true });
    expect(messages).toEqual([...TURN.input, ...TURN.response]);
  });

  test('handles thread update failures gracefully', async () => {
    await callHistory(store, 'processOutputResult', { messages: TURN });
    const other = new DatabaseSync(path);
    other.exec(
      `CREATE TRIGGER broken BEFORE UPDATE OF updated_at ON history_threads BEGIN SELECT raise(FAIL, 'disk full'); END`,
    );
    other.close();
    const { verdict } = await callHistory(store, 'processOutputResult', {
      run: { runId: 'run-10' },
      messages: { input: [message('u2')] },
    });
    expect(verdict).toMatchObject({ type: 'failure', code: 'store-unavailable' });
    expect(idsOf((await store.listMessages(THREAD, { limit: 100, offset: 0 })).messages)).toEqual(['u1', 'a1']);
  });
});
