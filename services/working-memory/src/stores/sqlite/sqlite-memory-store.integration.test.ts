import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { RUN_MARK_TTL_MS } from '@millrace/stores';
import { countStoredText } from '@millrace/testkit';
import { openSqliteMemoryStore } from './sqlite-memory-store.ts';
import { describeMemoryStore } from '../../store/conformance/memory-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-working-memory-'));
});
afterEach(() => rm(folder, { recursive: true }));
const file = () => join(folder, 'made', 'on', 'first', 'use.sqlite');

describeMemoryStore('SQLite', async () => openSqliteMemoryStore({ path: file() }));

describe('working memory in a SQLite file', () => {
  test('concurrent processes write to the file without losing a write', async () => {
    await openSqliteMemoryStore({ path: file() }).close();
    const workers = [1, 2].map((worker) => {
      const workerData = { path: file(), worker, rounds: 40 };
      return new Worker(new URL('../../testing/increment-worker.ts', import.meta.url), { workerData });
    });
    await Promise.all(workers.map((worker) => once(worker, 'exit')));
    const store = openSqliteMemoryStore({ path: file() });
    const record = await store.read({ tenant: 'default', key: 'counter' });
    expect(record).toEqual({ memory: { count: 80 }, version: 80, trust: 'untrusted' });
    await store.close();
  });

  test('the store deletes expired marks of runs', async () => {
    const store = openSqliteMemoryStore({ path: file() });
    const database = new DatabaseSync(file());
    const owner = { tenant: 'default', key: 'ada' };
    await store.compareAndSet({ owner, run: { runId: 'old', epoch: 1 }, version: 0, memory: { a: 1 } });
    const listMarks = () => database.prepare('SELECT run, expires_at FROM working_memory_runs').all();
    expect(Number(listMarks()[0]?.['expires_at'])).toBeGreaterThan(Date.now() + RUN_MARK_TTL_MS - 60_000);
    database.exec('UPDATE working_memory_runs SET expires_at = 1');
    await store.compareAndSet({ owner, run: { runId: 'new', epoch: 1 }, version: 1, memory: { a: 2 } });
    expect(listMarks()).toMatchObject([{ run: 'new' }]);
    await store.close();
  });

  test('the files contain no text of an erased owner', async () => {
    const store = openSqliteMemoryStore({ path: file() });
    const owner = { tenant: 'default', key: 'ada' };
    for (const version of [0, 1])
      await store.compareAndSet({ owner, run: { runId: `r${version}`, epoch: 1 }, version, memory: { a: 'erased' } });
    expect(countStoredText(file(), 'erased')).toBeGreaterThan(0);
    await store.eraseOwner(owner, []);
    expect(countStoredText(file(), '"erased"')).toBe(0);
    await store.close();
  });

  test('a file that is no database fails as store-unavailable with its path', async () => {
    const path = join(folder, 'note.txt');
    await writeFile(path, 'this is a note, and longer than a header of SQLite is: '.repeat(10));
    expect(() => openSqliteMemoryStore({ path })).toThrow(
      expect.objectContaining({ code: 'store-unavailable', message: expect.stringContaining(path) }),
    );
  });
});
