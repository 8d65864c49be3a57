// Deletes points of the embedded store, in all collections, each deletion in one transaction.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import {
  RUN_MARK_TTL_MS,
  checkTenant,
  eraseFromSqlite,
  markDeleted,
  runInTransaction,
  storeCalls,
} from '@millrace/stores';
import { isForgotten } from '../../store/match-forgotten.ts';
import { STORE, type RecallPlace, type VectorStore } from '../../store/vector-store.ts';

type Row = Record<string, SQLOutputValue>;
type SqliteDeletions = Pick<VectorStore, 'deleteThread' | 'deleteMessages' | 'eraseOwner'>;
const answered = storeCalls(STORE);

export function createSqliteDeletions(database: DatabaseSync): SqliteDeletions {
  const ofThread = 'tenant = ? AND resource = ? AND thread = ?';
  const listMessages = database.prepare(`SELECT rowid, message, text FROM recall_points WHERE ${ofThread}`);
  const dropRow = database.prepare('DELETE FROM recall_points WHERE rowid = ? RETURNING collection, point');
  const dropThread = database.prepare(`DELETE FROM recall_points WHERE ${ofThread} RETURNING collection, point`);
  const dropOwner = database.prepare(
    'DELETE FROM recall_points WHERE tenant = ? AND resource = ? RETURNING collection, point',
  );
  const countOwner = database.prepare('SELECT count(*) AS total FROM recall_points WHERE tenant = ? AND resource = ?');
  const eraseRun = database.prepare('INSERT OR REPLACE INTO recall_erased_runs VALUES (?, ?, ?, ?)');
  const forgetErased = database.prepare('DELETE FROM recall_erased_runs WHERE until < ?');
  const dropTrust = database.prepare('DELETE FROM recall_trusted WHERE collection = ? AND point = ?');
  const listKeys = ({ tenant, key, threadId }: RecallPlace) => [checkTenant(tenant), key, threadId] as const;
  const dropTrusts = (rows: Row[]) => {
    if (rows.length > 0) markDeleted(database);
    for (const { collection = null, point = null } of rows) dropTrust.run(collection, point);
    return rows.length;
  };
  const runDeletion = (signal: AbortSignal | undefined, work: () => Row[]) =>
    answered('delete messages', signal, () => runInTransaction(database, () => dropTrusts(work())));
  return {
    deleteThread: (place, signal) => runDeletion(signal, () => dropThread.all(...listKeys(place))),
    eraseOwner: ({ tenant, key }, runIds, signal) =>
      answered('erase the vectors of an owner', signal, () => {
        checkTenant(tenant);
        return eraseFromSqlite(database, () => {
          const now = Date.now();
          forgetErased.run(now);
          for (const runId of runIds) eraseRun.run(tenant, key, runId, now + RUN_MARK_TTL_MS);
          const deleted = dropTrusts(dropOwner.all(tenant, key));
          return { deleted, left: Number(countOwner.get(tenant, key)?.['total'] ?? 0) };
        });
      }),
    deleteMessages: (place, messages, signal) =>
      runDeletion(signal, () => {
        const rows = listMessages.all(...listKeys(place)).filter((row) => {
          const stored = { messageId: String(row['message']), text: String(row['text']) };
          return isForgotten(messages, stored);
        });
        return rows.flatMap(({ rowid = null }) => dropRow.all(rowid));
      }),
  };
}
