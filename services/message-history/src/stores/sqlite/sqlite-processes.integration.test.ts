// Several processes with one file of the embedded store open, as `npm start` runs without Redis.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteHistoryStore } from './sqlite-history-store.ts';
import { listAllMessages } from '../../testing/all-messages.ts';
import { findBlocks } from '../../testing/blocks.ts';
import { block, listIds, newTenant } from '../../testing/history-fixtures.ts';

const program = fileURLToPath(new URL('../../testing/save-runs.ts', import.meta.url));

describe('several processes on one SQLite file', () => {
  let folder: string;
  let path: string;
  let children: ChildProcessByStdio<null, Readable, Readable>[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-history-'));
    path = join(folder, 'history.db');
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const saveRuns = (...args: string[]) => {
    const child = spawn(process.execPath, [program, path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  };

  test('processes do not interleave their blocks, even if all of them create the file', async () => {
    const tenant = newTenant();
    const exits = ['a', 'b', 'c', 'd'].map((name) => once(saveRuns(tenant, name, '25'), 'exit'));
    expect((await Promise.all(exits)).map(([code]: unknown[]) => code)).toEqual([0, 0, 0, 0]);

    const store = openSqliteHistoryStore({ path });
    const { messages, total } = await listAllMessages(store, block({ tenant }));
    await store.close();
    expect(total).toBe(500);
    const blocks = findBlocks(messages);
    expect(blocks).toHaveLength(100);
    expect(new Set(blocks.map(({ size }) => size))).toEqual(new Set([5]));
  });

  test('a killed process leaves no partial block and loses no acknowledged one', async () => {
    const tenant = newTenant();
    const child = saveRuns(tenant, 'a');
    const exit = once(child, 'exit');
    const answered: string[] = [];
    for await (const runId of createInterface({ input: child.stdout })) {
      answered.push(runId);
      if (answered.length === 25) child.kill('SIGKILL');
    }
    await exit;

    const store = openSqliteHistoryStore({ path });
    const { messages, total } = await listAllMessages(store, block({ tenant }));
    await store.close();
    const blocks = findBlocks(messages);
    expect(blocks.every(({ size }) => size === 5)).toBe(true);
    expect(blocks.map(({ runId }) => runId)).toEqual(expect.arrayContaining(answered));
    expect(total).toBe(messages.length);
  });

  test('a process fails with store-unavailable if another one holds the file too long, and works afterwards', async () => {
    const store = openSqliteHistoryStore({ path });
    const hog = new DatabaseSync(path);
    hog.exec('BEGIN IMMEDIATE');
    const saved = block({ tenant: newTenant() });
    await expect(store.saveBlock(saved)).rejects.toMatchObject({ code: 'store-unavailable' });
    // A reader does not wait for a writer.
    expect((await store.recallLast(saved, 10)).messages).toEqual([]);

    hog.exec('ROLLBACK');
    hog.close();
    await store.saveBlock(saved);
    expect(listIds((await store.recallLast(saved, 10)).messages)).toEqual(['run-1.0', 'run-1.1']);
    await store.close();
  });

  test('the error names the file that cannot be opened', () => {
    expect(() => openSqliteHistoryStore({ path: folder })).toThrow(`open ${folder}`);
  });
});
