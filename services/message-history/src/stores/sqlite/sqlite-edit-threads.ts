// Updates and deletes threads and messages of the embedded store, each in one transaction.
import type { DatabaseSync } from 'node:sqlite';
import { DEFAULT_THREAD_TITLE } from '@millrace/contracts';
import {
  RUN_MARK_TTL_MS,
  checkTenant,
  eraseFromSqlite,
  markDeleted,
  runInTransaction,
  storeCalls,
} from '@millrace/stores';
import { STORE, createTailConflict, createUnknownThreadError } from '../../store/history-errors.ts';
import type {
  ErasedMessages,
  HistoryOwner,
  HistoryRun,
  OwnedThread,
  ThreadTail,
  ThreadEdits,
} from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import type { Statements } from './sqlite-statements.ts';

const answered = storeCalls(STORE);

export function createSqliteThreadEdits(database: DatabaseSync, statements: Statements): ThreadEdits {
  const runEdit = <T>(thread: OwnedThread, signal: AbortSignal | undefined, edit: (key: ThreadKey) => T) =>
    answered('change a thread', signal, () => {
      const { tenant, threadId, owner } = thread;
      const key: ThreadKey = [checkTenant(tenant), threadId];
      return runInTransaction(database, () => {
        if (statements.findThread.get(...key)?.['owner'] !== owner) throw createUnknownThreadError(thread);
        return edit(key);
      });
    });
  return {
    nameThread: (thread, title, signal) =>
      runEdit(thread, signal, (key) => void statements.setFirstTitle.run(title, ...key, DEFAULT_THREAD_TITLE)),
    updateThread: (thread, { title, metadata }, signal) =>
      runEdit(thread, signal, (key) => {
        if (title !== undefined) statements.setTitle.run(title, ...key);
        if (metadata !== undefined) statements.setMetadata.run(JSON.stringify(metadata), ...key);
      }),
    deleteThread: (thread, signal) =>
      runEdit(thread, signal, (key) => {
        markDeleted(database);
        const { changes } = statements.dropMessages.run(...key);
        statements.dropRuns.run(...key);
        statements.dropThread.run(...key);
        return Number(changes);
      }),
    findMessages: (thread, ids, signal) =>
      runEdit(thread, signal, (key) =>
        ids.flatMap((id) => {
          const row = statements.findMessage.get(...key, id);
          return row ? [readMessage(String(row['body']))] : [];
        }),
      ),
    deleteMessages: (thread, ids, signal) =>
      runEdit(thread, signal, (key) => dropMessages(database, statements, key, ids)),
    findTail: (thread, from, limit, signal) => runEdit(thread, signal, (key) => readTail(statements, key, from, limit)),
    truncateThread: (thread, { from, last: expected }, signal) =>
      runEdit(thread, signal, (key) => {
        const { ids, last } = readTail(statements, key, from, ALL_ROWS);
        if (last !== expected) throw createTailConflict(thread.threadId, expected, last);
        return dropMessages(database, statements, key, ids);
      }),
    eraseOwner: (owner, runs, signal) =>
      answered('erase the threads of an owner', signal, () =>
        eraseFromSqlite(database, () => eraseRows(database, statements, owner, runs)),
      ),
  };
}

type ThreadKey = [tenant: string, threadId: string];
const ALL_ROWS = -1;

function dropMessages(database: DatabaseSync, statements: Statements, key: ThreadKey, ids: readonly string[]): number {
  markDeleted(database);
  const dropped = ids.map((id) => Number(statements.dropMessage.run(...key, id).changes));
  const count = dropped.reduce((sum, one) => sum + one, 0);
  statements.countDropped.run(count, ...key);
  return count;
}

function readTail(statements: Statements, key: ThreadKey, from: string, limit: number): ThreadTail {
  const last = statements.findLast.get(...key)?.['id'];
  const ids = statements.findTail.all(...key, ...key, from, limit).map(({ id }) => String(id));
  return { ids, ...(last !== undefined && { last: String(last) }) };
}

/** The list of threads is complete: a transaction writes a thread with its messages. */
function eraseRows(
  database: DatabaseSync,
  statements: Statements,
  { tenant, owner }: HistoryOwner,
  runs: readonly HistoryRun[],
): ErasedMessages {
  const now = Date.now();
  checkTenant(tenant);
  statements.forgetErased.run(now);
  for (const { threadId, runId } of runs) statements.eraseRun.run(tenant, threadId, runId, now + RUN_MARK_TTL_MS);
  const owned = statements.listOwned.all(tenant, owner);
  // A thread without messages has a title.
  if (owned.length > 0) markDeleted(database);
  const deleted = owned.map(({ id = null }) => {
    const { changes } = statements.dropMessages.run(tenant, id);
    statements.dropRuns.run(tenant, id);
    statements.dropThread.run(tenant, id);
    return Number(changes);
  });
  return {
    deleted: deleted.reduce((sum, count) => sum + count, 0),
    left: statements.listOwned.all(tenant, owner).length,
  };
}
