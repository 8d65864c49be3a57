// Gives each test its own history file, which other connections can open.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';

export type HistoryFile = { readonly path: string; readonly store: HistoryStore };

/** Call this in a describe. */
export function useHistoryFile(): HistoryFile {
  let folder = '';
  let store: HistoryStore | undefined;
  const path = () => join(folder, 'history.db');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-history-'));
    store = openSqliteHistoryStore({ path: path() });
  });
  afterEach(async () => {
    await store?.close();
    rmSync(folder, { recursive: true });
  });
  return {
    get path() {
      return path();
    },
    get store() {
      if (!store) throw new Error('useHistoryFile: the store is there only while a test runs');
      return store;
    },
  };
}
