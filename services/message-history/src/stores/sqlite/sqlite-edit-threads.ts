// Renames and deletes threads and messages of the embedded store, each in one transaction.
import type { DatabaseSync } from 'node:sqlite';
import { checkTenant, runInTransaction, storeCalls } from '@millrace/stores';
import { STORE, threadUnknown } from '../../store/history-errors.ts';
import type { HistoryStore, OwnedThread } from '../../store/history-store.ts';
import { readMessage } from '../../store/stored-message.ts';
import type { Statements } from './sqlite-statements.ts';

type ThreadEdits = Pick<HistoryStore, 'renameThread' | 'deleteThread' | 'findMessages' | 'deleteMessages'>;
const answered = storeCalls(STORE);

export function createSqliteThreadEdits(database: DatabaseSync, statements: Statements): ThreadEdits {
  const editing = <T>(thread: OwnedThread, signal: AbortSignal | undefined, edit: (key: [string, string]) => T) =>
    answered('change a thread', signal, () => {
      const { tenant, threadId, owner } = thread;
      const key: [string, string] = [checkTenant(tenant), threadId];
      return runInTransaction(database, () => {
        if (statements.findThread.get(...key)?.['owner'] !== owner) throw threadUnknown(thread);
        return edit(key);
      });
    });
  return {
    renameThread: (thread, title, signal) =>
      editing(thread, signal, (key) => void statements.rename.run(title, ...key)),
    deleteThread: (thread, signal) =>
      editing(thread, signal, (key) => {
        const { changes } = statements.dropMessages.run(...key);
        statements.dropRuns.run(...key);
        statements.dropThread.run(...key);
        return Number(changes);
      }),
    findMessages: (thread, ids, signal) =>
      editing(thread, signal, (key) =>
        ids.flatMap((id) => {
          const row = statements.findMessage.get(...key, id);
          return row ? [readMessage(String(row['body']))] : [];
        }),
      ),
    deleteMessages: (thread, ids, signal) =>
      editing(thread, signal, (key) => {
        const dropped = ids.map((id) => Number(statements.dropMessage.run(...key, id).changes));
        const count = dropped.reduce((sum, one) => sum + one, 0);
        statements.countDropped.run(count, ...key);
        return count;
      }),
  };
}
