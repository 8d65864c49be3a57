// Opens the database file of an embedded store. Several processes of one machine may share it: with write-ahead logging
// readers continue during a write, and a lock is awaited with a timeout. A commit is on disk before it is acknowledged.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeUnavailable } from './store-errors.ts';

/** Timeout for another process's write. It blocks this process: writes take milliseconds. */
const BUSY_TIMEOUT_MS = 2_000;

export type SqliteOptions = {
  /** A file, created with its folder if missing; `:memory:` for one that ends with the process. */
  path: string;
  /** Statements that create missing tables. Names start with the service's: files may be shared. */
  schema: string;
  /** As errors name it: "message store". */
  store: string;
  allowExtension?: boolean;
};

/** @throws store-unavailable */
export function openSqlite({ path, schema, store, allowExtension = false }: SqliteOptions): DatabaseSync {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, allowExtension });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    runInTransaction(database, () => database.exec(schema));
    return database;
  } catch (error) {
    throw storeUnavailable(store, `open ${path}`, error);
  }
}

/** All of `work` or nothing of it, with no other writer in between. `work` is synchronous, so nothing of this process is either. */
export function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE: the lock is waited for here, not found taken after reading, which no waiting resolves.
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Closing twice is closing once. */
export async function closeSqlite(database: DatabaseSync): Promise<void> {
  if (database.isOpen) database.close();
}
