// The embedded history store: one file, for one machine without Redis. The same contract as on Redis; each save is a transaction.
import type { Message, Thread } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { checkBlock, storeUnavailable, threadForeign, threadUnknown } from '../../store/history-errors.ts';
import type { HistoryStore, MessagePage, Page, ThreadRef } from '../../store/history-store.ts';
import { inTransaction, openSqliteDatabase } from './sqlite-database.ts';
import { prepareStatements, type Statements } from './sqlite-statements.ts';
import { saveBlockRows } from './sqlite-save-block.ts';
import { readMessage } from '../../store/stored-message.ts';
import { readThread } from '../../store/stored-thread.ts';

/**
 * @param path see openSqliteDatabase()
 * @throws store-unavailable
 */
export function openSqliteHistoryStore({ path }: { path: string }): HistoryStore {
  const database = openSqliteDatabase(path);
  const statements = prepareStatements(database);

  /** Synchronous work as an async call: what is thrown is a rejection, with the database's own errors as `store-unavailable`. */
  const call = async <T>(tenant: string, signal: AbortSignal | undefined, work: () => T): Promise<T> => {
    signal?.throwIfAborted();
    checkTenant(tenant);
    try {
      return work();
    } catch (error) {
      throw isOfDatabase(error) ? storeUnavailable('serve a call', error) : error;
    }
  };
  /** Several reads that belong together see one state of the file, whoever writes in between. */
  const reading = <T>(tenant: string, signal: AbortSignal | undefined, work: () => T): Promise<T> =>
    call(tenant, signal, () => {
      database.exec('BEGIN');
      try {
        return work();
      } finally {
        database.exec('COMMIT');
      }
    });

  return {
    recallLast: (thread, count, signal) =>
      reading(thread.tenant, signal, () => {
        const begunBy = statements.findThread.get(thread.tenant, thread.threadId)?.['owner'];
        if (begunBy === undefined) return [];
        if (begunBy !== thread.owner) throw threadForeign(thread);
        return lastMessages(statements, thread, count);
      }),

    saveBlock: (block, signal) =>
      call(block.tenant, signal, () => {
        checkBlock(block);
        inTransaction(database, () => saveBlockRows(statements, block, Date.now()));
      }),

    listMessages: (thread, page, signal) =>
      reading(thread.tenant, signal, () => ({
        total: getThread(statements, thread).messageCount,
        messages: messagesOfPage(statements, thread, page),
      })),

    listLastMessages: (thread, count, signal) =>
      reading(thread.tenant, signal, (): MessagePage => ({
        total: getThread(statements, thread).messageCount,
        messages: lastMessages(statements, thread, count),
      })),

    listThreads: ({ tenant, owner }, { limit, offset }, signal) =>
      reading(tenant, signal, () => {
        const [count, list, values] =
          owner === undefined
            ? [statements.countThreads, statements.listThreads, [tenant]]
            : [statements.countThreadsOf, statements.listThreadsOf, [tenant, owner]];
        const rows = list.all(...values, limit, offset);
        return {
          threads: rows.map((row) => readThread(String(row['id']), row)),
          total: Number(count.get(...values)?.['total'] ?? 0),
        };
      }),

    getThread: (thread, signal) => reading(thread.tenant, signal, () => getThread(statements, thread)),

    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

function findThread(statements: Statements, { tenant, threadId }: ThreadRef): Thread | undefined {
  const row = statements.findThread.get(tenant, threadId);
  return row && readThread(threadId, row);
}

function getThread(statements: Statements, thread: ThreadRef): Thread {
  const found = findThread(statements, thread);
  if (found === undefined) throw threadUnknown(thread);
  return found;
}

function lastMessages(statements: Statements, { tenant, threadId }: ThreadRef, count: number): Message[] {
  const rows = statements.lastMessages.all(tenant, threadId, count);
  return rows.map((row) => readMessage(String(row['body']))).toReversed();
}

function messagesOfPage(statements: Statements, { tenant, threadId }: ThreadRef, { limit, offset }: Page): Message[] {
  const rows = statements.listMessages.all(tenant, threadId, limit, offset);
  return rows.map((row) => readMessage(String(row['body'])));
}

/** What SQLite reports (locked, full, broken), and what node:sqlite says of a file that is closed. */
function isOfDatabase(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_SQLITE_ERROR' || code === 'ERR_INVALID_STATE';
}
