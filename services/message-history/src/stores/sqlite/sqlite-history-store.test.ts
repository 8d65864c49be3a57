import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHistoryStore } from '../../store/conformance/history-store.ts';
import { openSqliteHistoryStore } from './sqlite-history-store.ts';
import { prepareStatements } from './sqlite-statements.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-history-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const path = () => join(folder, 'made', 'history.db');
describeHistoryStore('SQLite', async () => openSqliteHistoryStore({ path: path() }));

test('SQLite reads messages along an index: the cost of recalling grows with the result, not with the thread', async () => {
  const store = openSqliteHistoryStore({ path: path() });
  const database = new DatabaseSync(path());
  const { lastMessages, listMessages } = prepareStatements(database);
  for (const [statement, values] of [[lastMessages, [10]] as const, [listMessages, [10, 0]] as const]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement.sourceSQL}`).all('tenant', 'thread', ...values);
    const steps = plan.map(({ detail }) => String(detail)).join('; ');
    expect(steps).toContain('history_messages_by_place');
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  database.close();
  await store.close();
});
