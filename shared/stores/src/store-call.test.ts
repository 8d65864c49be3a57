import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MillraceError } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeSqlite, runInTransaction, openSqlite } from './sqlite-database.ts';
import { storeCalls } from './store-call.ts';
import { retryShortOutage } from './retry-short-outage.ts';

const answered = storeCalls('test store');
const unavailable = new MillraceError('store-unavailable', 'away');

describe('a call of SQLite', () => {
  let folder: string;
  let database: DatabaseSync;
  const schema = 'CREATE TABLE IF NOT EXISTS test_rows (id INTEGER PRIMARY KEY) STRICT';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-stores-'));
    database = openSqlite({ path: join(folder, 'made', 'test.db'), schema, store: 'test store' });
  });
  afterEach(async () => {
    await closeSqlite(database);
    rmSync(folder, { recursive: true });
  });

  test('of a statement that is wrong has found a bug of ours', async () => {
    const wrong = answered('ask', undefined, () => database.prepare('SELECT nothing FROM nowhere').all());
    await expect(wrong).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('refused to ask') });
  });

  test('of a file that is locked, or closed, finds the store unavailable', async () => {
    const insert = () => database.prepare('INSERT INTO test_rows VALUES (1)').run();
    const other = new DatabaseSync(join(folder, 'made', 'test.db'));
    other.exec('BEGIN IMMEDIATE');
    database.exec('PRAGMA busy_timeout = 1');
    const locked = answered('write', undefined, () => runInTransaction(database, insert));
    await expect(locked).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('test store'),
    });
    other.close();
    await closeSqlite(database);
    await expect(answered('write', undefined, insert)).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});

test('A call of a cancelled caller is not made', async () => {
  let asked = 0;
  const call = answered('ask', AbortSignal.abort(new Error('enough')), () => (asked += 1));
  await expect(call).rejects.toThrow('enough');
  expect(asked).toBe(0);
});

test('A programming error and a coded error are thrown unchanged', async () => {
  const broken = answered('ask', undefined, () => {
    throw new TypeError('undefined is no function');
  });
  await expect(broken).rejects.toThrow(TypeError);
  const coded = answered('ask', undefined, () => Promise.reject(new MillraceError('thread-foreign', 'not yours')));
  await expect(coded).rejects.toMatchObject({ code: 'thread-foreign' });
});

describe('a save through a short outage', () => {
  const failing = (times: number, error: Error) => {
    let asked = 0;
    const save = async () => {
      asked += 1;
      if (asked <= times) throw error;
      return asked;
    };
    return { save, asked: () => asked };
  };
  const { signal } = new AbortController();

  test('is asked for again until the store is back', async () => {
    const { save } = failing(3, unavailable);
    expect(await retryShortOutage(save, signal, 10_000)).toBe(4);
  });

  test('is given up with the store’s own error when the outage is not short', async () => {
    const { save } = failing(Infinity, unavailable);
    await expect(retryShortOutage(save, signal, 250)).rejects.toBe(unavailable);
  });

  test('A call that the store has rejected is not repeated', async () => {
    const refused = new MillraceError('save-superseded', 'too late');
    const { save, asked } = failing(1, refused);
    await expect(retryShortOutage(save, signal, 10_000)).rejects.toBe(refused);
    expect(asked()).toBe(1);
  });

  test('ends with its caller', async () => {
    const caller = new AbortController();
    const { save } = failing(Infinity, unavailable);
    const saving = retryShortOutage(save, caller.signal, 60_000);
    caller.abort(new Error('enough'));
    await expect(saving).rejects.toThrow('enough');
  });
});
