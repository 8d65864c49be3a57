// The database file of the embedded store. Several processes of one machine may have it open: write-ahead logging lets readers
// go on beside a writer, and who finds it locked waits a bounded time. A commit is on the disk before it is answered.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeUnavailable } from '../../store/recall-errors.ts';

/** How long a call waits for another process's write. The process does nothing else meanwhile: writes take milliseconds. */
const busyTimeoutMs = 2_000;

const schema = `
  CREATE TABLE IF NOT EXISTS recall_messages (
    collection TEXT NOT NULL, tenant TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL,
    run TEXT NOT NULL, epoch INTEGER NOT NULL, position INTEGER NOT NULL, place INTEGER NOT NULL,
    message TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, created TEXT NOT NULL, vector BLOB NOT NULL,
    UNIQUE (collection, tenant, run, position)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS recall_messages_by_place
    ON recall_messages (collection, tenant, resource, thread, place);
`;

/**
 * @param path a file, made with its folder where it is not there; `:memory:` for one that ends with the process
 * @throws store-unavailable
 */
export function openSqliteDatabase(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs, allowExtension: true });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    inTransaction(database, () => database.exec(schema));
    return database;
  } catch (error) {
    throw storeUnavailable(`open ${path}`, error instanceof Error ? error.message : String(error), error);
  }
}

/** All of `work` or nothing of it, with no other writer in between. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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
