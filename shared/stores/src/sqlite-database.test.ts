import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { countStoredText } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { closeSqlite, eraseFromSqlite, markDeleted, openSqlite, runInTransaction } from './sqlite-database.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-sqlite-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const path = join(dir, 'shared.db');
const open = () =>
  openSqlite({ path, schema: 'CREATE TABLE IF NOT EXISTS texts (owner TEXT, text TEXT)', store: 'store' });

function deleteTexts(database: DatabaseSync, owner: string): number {
  return Number(database.prepare('DELETE FROM texts WHERE owner = ?').run(owner).changes);
}
const erase = (database: DatabaseSync, owner: string) =>
  eraseFromSqlite(database, () => ({ deleted: deleteTexts(database, owner), left: 0 }));

test('A deletion of another process during an erasure is rewritten by the next erasure', async () => {
  const [one, other] = [open(), open()];
  for (let at = 0; at < 200; at += 1)
    for (const owner of ['ada', 'bob'])
      one.prepare('INSERT INTO texts VALUES (?, ?)').run(owner, `${owner} wrote this; `.repeat(1 + ((at * 31) % 97)));
  const prepare = one.prepare.bind(one);
  let isDone = false;
  one.prepare = (sql) => {
    const statement = prepare(sql);
    if (!sql.includes('wal_checkpoint') || isDone) return statement;
    isDone = true;
    const get = statement.get.bind(statement);
    // The deletion is not in the file that the erasure has rewritten.
    statement.get = () => {
      const result = get();
      runInTransaction(other, () => {
        markDeleted(other);
        deleteTexts(other, 'bob');
      });
      return result;
    };
    return statement;
  };
  erase(one, 'ada');
  expect(isDone).toBe(true);
  erase(other, 'unknown');
  for (const owner of ['ada', 'bob']) expect(countStoredText(path, `${owner} wrote this`)).toBe(0);
  expect(other.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
  await Promise.all([one, other].map(closeSqlite));
});
