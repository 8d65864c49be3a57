// Stores working memory in a local file for machines without Redis, with the same contract. Machines cannot share it.
import { readFileSync } from 'node:fs';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { JsonObject } from '@millrace/contracts';
import {
  checkTenant,
  closeSqlite,
  eraseFromSqlite,
  markDeleted,
  runInTransaction,
  openSqlite,
  RUN_MARK_TTL_MS,
  storeCalls,
} from '@millrace/stores';
import {
  STORE,
  listErasedMarks,
  type MemoryOwner,
  type MemoryRecord,
  type MemoryWrite,
  type RunMark,
  type WorkingMemoryStore,
  type WriteOutcome,
} from '../../store/memory-store.ts';

type MemoryRow = Record<string, SQLOutputValue> | undefined;
const schema = readFileSync(new URL('./sqlite-schema.sql', import.meta.url), 'utf8');
const answered = storeCalls(STORE);

/** @param path see openSqlite(). @throws store-unavailable */
export function openSqliteMemoryStore({ path }: { path: string }): WorkingMemoryStore {
  const database = openSqlite({ path, schema, store: STORE });
  const statements = prepare(database);
  const read = (owner: MemoryOwner): MemoryRecord => parseRecord(statements.memory.get(...listOwnerKeys(owner)));
  const readWrittenEpoch = (owner: MemoryOwner, runId: string): number =>
    Number(statements.mark.get(...listOwnerKeys(owner), runId, Date.now())?.['epoch'] ?? 0);

  function mark(owner: MemoryOwner, { runId, epoch }: RunMark): void {
    const now = Date.now();
    statements.forget.run(now);
    statements.setMark.run(...listOwnerKeys(owner), runId, epoch, now + RUN_MARK_TTL_MS);
  }

  function compareAndSet({ owner, run, version, memory, trust }: MemoryWrite): WriteOutcome {
    const marked = readWrittenEpoch(owner, run.runId);
    if (marked === run.epoch) return { outcome: 'repeated' };
    if (marked > run.epoch) return { outcome: 'superseded', epoch: marked };
    const current = read(owner);
    if (current.version !== version) return { outcome: 'conflict', ...current };

    statements.setMemory.run(...listOwnerKeys(owner), version + 1, JSON.stringify(memory));
    if (trust === 'trusted') statements.setTrusted.run(...listOwnerKeys(owner), version + 1);
    mark(owner, run);
    return { outcome: 'written' };
  }

  return {
    read: (owner, signal) => answered('read', signal, () => read(owner)),
    readForRun: (owner, runId, signal) =>
      answered('read', signal, () => ({ ...read(owner), writtenEpoch: readWrittenEpoch(owner, runId) })),
    compareAndSet: (write, signal) =>
      answered('write', signal, () => runInTransaction(database, () => compareAndSet(write))),
    markRun: (owner, run, signal) =>
      answered('write', signal, () =>
        runInTransaction(database, () => {
          if (readWrittenEpoch(owner, run.runId) < run.epoch) mark(owner, run);
        }),
      ),
    forget: (owner, signal) =>
      answered('delete', signal, () =>
        runInTransaction(database, () => {
          markDeleted(database);
          statements.dropTrusted.run(...listOwnerKeys(owner));
          return Number(statements.dropMemory.run(...listOwnerKeys(owner)).changes) === 1;
        }),
      ),
    eraseOwner: (owner, runs, signal) =>
      answered('erase an owner', signal, () =>
        eraseFromSqlite(database, () => {
          const keys = [checkTenant(owner.tenant), owner.key];
          for (const erased of listErasedMarks(owner, runs)) mark(erased.owner, erased.mark);
          statements.dropOwnersTrusted.run(...keys);
          const { changes } = statements.dropOwners.run(...keys);
          return { deleted: Number(changes), left: Number(statements.countOwners.get(...keys)?.['total']) };
        }),
      ),
    close: () => closeSqlite(database),
  };
}

function prepare(database: DatabaseSync) {
  const owner = 'tenant = ? AND resource = ? AND thread = ?';
  return {
    memory: database.prepare(
      `SELECT version, memory, trusted.version AS trusted FROM working_memory
       LEFT JOIN working_memory_trusted AS trusted USING (tenant, resource, thread, version) WHERE ${owner}`,
    ),
    mark: database.prepare(`SELECT epoch FROM working_memory_runs WHERE ${owner} AND run = ? AND expires_at >= ?`),
    setMemory: database.prepare('INSERT OR REPLACE INTO working_memory VALUES (?, ?, ?, ?, ?)'),
    dropOwnersTrusted: database.prepare('DELETE FROM working_memory_trusted WHERE tenant = ? AND resource = ?'),
    dropOwners: database.prepare('DELETE FROM working_memory WHERE tenant = ? AND resource = ?'),
    countOwners: database.prepare('SELECT count(*) AS total FROM working_memory WHERE tenant = ? AND resource = ?'),
    dropTrusted: database.prepare(`DELETE FROM working_memory_trusted WHERE ${owner}`),
    dropMemory: database.prepare(`DELETE FROM working_memory WHERE ${owner}`),
    setTrusted: database.prepare('INSERT OR REPLACE INTO working_memory_trusted VALUES (?, ?, ?, ?)'),
    setMark: database.prepare('INSERT OR REPLACE INTO working_memory_runs VALUES (?, ?, ?, ?, ?, ?)'),
    forget: database.prepare('DELETE FROM working_memory_runs WHERE expires_at < ?'),
  };
}

/** An absent thread and an empty thread id are different owners. */
function listOwnerKeys({ tenant, key, threadId }: MemoryOwner): [string, string, string] {
  return [checkTenant(tenant), key, threadId === undefined ? '' : `:${threadId}`];
}

function parseRecord(row: MemoryRow): MemoryRecord {
  if (row === undefined) return { memory: null, version: 0, trust: 'trusted' };
  const memory: JsonObject | null = JSON.parse(String(row['memory']));
  return { memory, version: Number(row['version']), trust: row['trusted'] === null ? 'untrusted' : 'trusted' };
}
