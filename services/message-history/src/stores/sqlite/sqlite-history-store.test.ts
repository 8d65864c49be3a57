import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countStoredText } from '@millrace/testkit';
import { describeHistoryStore } from '../../store/conformance/history-store.ts';
import { block, message, newTenant } from '../../testing/history-fixtures.ts';
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

test('the files of SQLite contain no text of an erased owner, and the text of others remains', async () => {
  const store = openSqliteHistoryStore({ path: path() });
  const tenant = newTenant();
  // Interleaved sizes make SQLite split pages, which leaves copies of rows outside of the tables.
  for (let at = 0; at < 400; at += 1) {
    const owner = `owner-${at % 7}`;
    const messages = [message(`m-${at}`, `text of ${owner}; `.repeat(1 + ((at * 31) % 97)))];
    await store.saveBlock(block({ tenant, threadId: owner, owner, runId: `run-${at}`, messages }));
  }
  for (const owner of ['owner-1', 'owner-4', 'owner-6']) {
    expect(countStoredText(path(), `text of ${owner};`)).toBeGreaterThan(0);
    await store.eraseOwner({ tenant, owner }, []);
    expect(countStoredText(path(), `text of ${owner};`)).toBe(0);
  }
  expect((await store.recallLast(block({ tenant, threadId: 'owner-0', owner: 'owner-0' }), 3)).messages).toHaveLength(
    3,
  );
  await store.close();
});

test('an erasure fails while another process reads an older state of the file, and succeeds afterwards', async () => {
  const store = openSqliteHistoryStore({ path: path() });
  const saved = block({ tenant: newTenant(), messages: [message('m', 'text that a reader keeps')] });
  await store.saveBlock(saved);
  const reader = new DatabaseSync(path());
  reader.exec('BEGIN; SELECT count(*) FROM history_messages');
  await expect(store.eraseOwner(saved, [])).rejects.toMatchObject({ code: 'store-unavailable' });
  reader.exec('COMMIT');
  reader.close();
  expect(await store.eraseOwner(saved, [])).toEqual({ deleted: 0, left: 0 });
  expect(countStoredText(path(), 'text that a reader keeps')).toBe(0);
  await store.close();
});

test('an erasure removes the text of threads that were deleted before, and rewrites a file only after a deletion', async () => {
  const store = openSqliteHistoryStore({ path: path() });
  const tenant = newTenant();
  const save = (owner: string, text: string) =>
    store.saveBlock(block({ tenant, threadId: owner, owner, runId: owner, messages: [message(owner, text)] }));
  for (let at = 0; at < 60; at += 1) await save(`owner-${at}`, `secret of ${at}; `.repeat(1 + ((at * 31) % 97)));
  for (let at = 0; at < 60; at += 2)
    await store.deleteThread({ tenant, threadId: `owner-${at}`, owner: `owner-${at}` });
  await store.eraseOwner({ tenant, owner: 'unknown' }, []);
  for (let at = 0; at < 60; at += 2) expect(countStoredText(path(), `secret of ${at};`)).toBe(0);
  await save('another', 'a later text');
  const before = statSync(path()).mtimeMs;
  await store.eraseOwner({ tenant, owner: 'unknown' }, []);
  expect(statSync(path()).mtimeMs).toBe(before);
  await store.close();
});
