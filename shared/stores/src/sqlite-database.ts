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
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
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

/** Runs related reads on one state of the file. Rowids are valid within it alone: an erasure renumbers the rows. */
export function runInSnapshot<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN');
  try {
    return work();
  } finally {
    database.exec('COMMIT');
  }
}

/** Number of rows that an erasure has deleted, and of those that a read after it finds. */
export type ErasedRows = { deleted: number; left: number };

const MAX_MARK = 0x7f_ff_ff_ff;
/** 0: no deletion since the file was rewritten. The file holds the mark, so that another process, or this one after a restart, rewrites it. */
const readMark = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.['user_version']);

/** Requests that the next erasure rewrites the file. Call it in the transaction of a deletion. */
export function markDeleted(database: DatabaseSync): void {
  // Each deletion has another mark: an erasure removes only the mark that it has read before it rewrites the file.
  database.exec(`PRAGMA user_version = ${(readMark(database) % MAX_MARK) + 1}`);
}

/**
 * Runs a deletion in a transaction, and removes deleted text from the file and its write-ahead log. Rewrites the file only after a deletion.
 * @throws if another process reads an older state for longer than the timeout: the caller repeats the erasure
 */
export function eraseFromSqlite(database: DatabaseSync, work: () => ErasedRows): ErasedRows {
  const erased = runInTransaction(database, () => {
    const rows = work();
    if (rows.deleted > 0) markDeleted(database);
    return rows;
  });
  const mark = readMark(database);
  if (mark === 0) return erased;
  // `secure_delete` overwrites a deleted row, but not the copies in pages that SQLite has split or merged before.
  database.exec('VACUUM');
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  if (busy !== 0) throw new Error('another process reads the file, so that its write-ahead log keeps deleted text');
  runInTransaction(database, () => {
    if (readMark(database) === mark) database.exec('PRAGMA user_version = 0');
  });
  return erased;
}

/** Closing twice is closing once. */
export async function closeSqlite(database: DatabaseSync): Promise<void> {
  if (database.isOpen) database.close();
}
