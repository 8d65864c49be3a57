// The embedded history store: one file for one machine without Redis, with the same contract as on Redis. Each save is
// a transaction.
import { readFileSync } from 'node:fs';
import type { Message } from '@millrace/contracts';
import { checkTenant, closeSqlite, runInSnapshot, runInTransaction, openSqlite, storeCalls } from '@millrace/stores';
import {
  checkBlock,
  checkDepth,
  STORE,
  createForeignThreadError,
  createUnknownThreadError,
} from '../../store/history-errors.ts';
import {
  READ_MAX_BYTES,
  type HistoryStore,
  type MessagePage,
  type RecentMessages,
  type ThreadRef,
} from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import { readThread } from '../../store/stored-thread.ts';
import { createSqliteThreadEdits } from './sqlite-edit-threads.ts';
import { saveBlockRows } from './sqlite-save-block.ts';
import { prepareStatements, type HistoryRow, type Statements } from './sqlite-statements.ts';

const schema = readFileSync(new URL('./sqlite-schema.sql', import.meta.url), 'utf8');
const answered = storeCalls(STORE);

/**
 * @param path see openSqlite()
 * @throws store-unavailable
 */
export function openSqliteHistoryStore({ path }: { path: string }): HistoryStore {
  const database = openSqlite({ path, schema, store: STORE });
  const statements = prepareStatements(database);

  const runRead = <T>(tenant: string, signal: AbortSignal | undefined, work: () => T): Promise<T> =>
    answered('serve a call', signal, () => {
      checkTenant(tenant);
      return runInSnapshot(database, work);
    });

  return {
    recallLast: (thread, count, signal) =>
      runRead(thread.tenant, signal, () => {
        const firstOwner = statements.findThread.get(thread.tenant, thread.threadId)?.['owner'];
        if (firstOwner === undefined) return { messages: [], leftOut: 0 };
        if (firstOwner !== thread.owner) throw createForeignThreadError(thread);
        return readNewestFitting(statements, readLastRows(statements, thread, count));
      }),

    saveBlock: (block, signal) =>
      answered('save', signal, () => {
        checkTenant(block.tenant);
        checkBlock(block);
        runInTransaction(database, () => saveBlockRows(statements, block, Date.now()));
      }),

    listMessages: (thread, { limit, offset, maxBytes }, signal) =>
      runRead(thread.tenant, signal, () => {
        const total = countMessages(statements, thread);
        const rows = statements.listMessages.iterate(thread.tenant, thread.threadId, limit, offset);
        return { messages: readFirstFitting(statements, rows, maxBytes), total };
      }),

    listLastMessages: (thread, count, signal) =>
      runRead(thread.tenant, signal, (): MessagePage => {
        const total = countMessages(statements, thread);
        return { messages: readFirstFitting(statements, readLastRows(statements, thread, count)).toReversed(), total };
      }),

    listThreads: ({ tenant, owner }, page, signal) =>
      runRead(tenant, signal, () => {
        checkDepth(page);
        const [count, list, values] =
          owner === undefined
            ? [statements.countThreads, statements.listThreads, [tenant]]
            : [statements.countOwnThreads, statements.listOwnThreads, [tenant, owner]];
        const rows = list.all(...values, page.limit, page.offset);
        return {
          threads: rows.map((row) => readThread(String(row['id']), row)),
          total: Number(count.get(...values)?.['total'] ?? 0),
        };
      }),

    getThread: (thread, signal) =>
      runRead(thread.tenant, signal, () => {
        const row = statements.findThread.get(thread.tenant, thread.threadId);
        if (row === undefined) throw createUnknownThreadError(thread);
        return readThread(thread.threadId, row);
      }),

    ...createSqliteThreadEdits(database, statements),

    close: () => closeSqlite(database),
  };
}

function countMessages(statements: Statements, thread: ThreadRef): number {
  const row = statements.findThread.get(thread.tenant, thread.threadId);
  if (row === undefined) throw createUnknownThreadError(thread);
  return Number(row['messageCount']);
}

/** Newest first. */
function readLastRows(statements: Statements, { tenant, threadId }: ThreadRef, count: number): Iterable<HistoryRow> {
  return statements.lastMessages.iterate(tenant, threadId, count);
}

/** Reads only the bodies that fit: a body can have megabytes, and the read blocks the process. */
function readNewestFitting(statements: Statements, rows: Iterable<HistoryRow>): RecentMessages {
  const messages: Message[] = [];
  let left = READ_MAX_BYTES;
  let leftOut = 0;
  for (const row of rows) {
    const bytes = Number(row['bytes']);
    if (bytes > left) {
      leftOut += 1;
      continue;
    }
    left -= bytes;
    messages.unshift(readBody(statements, row));
  }
  return { messages, leftOut };
}

/** Returns at least one message, in the order of the rows. */
function readFirstFitting(statements: Statements, rows: Iterable<HistoryRow>, maxBytes = READ_MAX_BYTES): Message[] {
  const messages: Message[] = [];
  let left = maxBytes;
  for (const row of rows) {
    const bytes = Number(row['bytes']);
    if (messages.length > 0 && bytes > left) break;
    left -= bytes;
    messages.push(readBody(statements, row));
  }
  return messages;
}

function readBody(statements: Statements, { rowid = null }: HistoryRow): Message {
  return readMessage(String(statements.body.get(rowid)?.['body']));
}
