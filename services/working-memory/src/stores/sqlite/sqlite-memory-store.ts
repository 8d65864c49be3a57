// Working memory in a file of this machine, for where no Redis can be had. The same contract; it cannot be shared between
// machines.
import { readFileSync } from 'node:fs';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { JsonObject } from '@millrace/contracts';
import { checkTenant, closeSqlite, inTransaction, openSqlite, RUN_MARK_TTL_MS, storeCalls } from '@millrace/stores';
import {
  STORE,
  type MemoryOwner,
  type MemoryRecord,
  type MemoryWrite,
  type RunMark,
  type WorkingMemoryStore,
  type WriteOutcome,
} from '../../store/memory-store.ts';

type Row = Record<string, SQLOutputValue> | undefined;
const schema = readFileSync(new URL('./sqlite-schema.sql', import.meta.url), 'utf8');
const answered = storeCalls(STORE);

/** @param path see openSqlite(). @throws store-unavailable */
export function openSqliteMemoryStore({ path }: { path: string }): WorkingMemoryStore {
  const database = openSqlite({ path, schema, store: STORE });
  const statements = prepare(database);
  const read = (owner: MemoryOwner): MemoryRecord => recordOf(statements.memory.get(...keyOf(owner)));
  const writtenEpoch = (owner: MemoryOwner, runId: string): number =>
    Number(statements.mark.get(...keyOf(owner), runId, Date.now())?.['epoch'] ?? 0);

  function mark(owner: MemoryOwner, { runId, epoch }: RunMark): void {
    const now = Date.now();
    statements.forget.run(now);
    statements.setMark.run(...keyOf(owner), runId, epoch, now + RUN_MARK_TTL_MS);
  }

  function compareAndSet({ owner, run, version, memory }: MemoryWrite): WriteOutcome {
    const marked = writtenEpoch(owner, run.runId);
    if (marked === run.epoch) return { outcome: 'repeated' };
    if (marked > run.epoch) return { outcome: 'superseded', epoch: marked };
    const current = read(owner);
    if (current.version !== version) return { outcome: 'conflict', ...current };

    statements.setMemory.run(...keyOf(owner), version + 1, JSON.stringify(memory));
    mark(owner, run);
    return { outcome: 'written' };
  }

  return {
    read: (owner, signal) => answered('read', signal, () => read(owner)),
    readForRun: (owner, runId, signal) =>
      answered('read', signal, () => ({ ...read(owner), writtenEpoch: writtenEpoch(owner, runId) })),
    compareAndSet: (write, signal) =>
      answered('write', signal, () => inTransaction(database, () => compareAndSet(write))),
    markRun: (owner, run, signal) =>
      answered('write', signal, () =>
        inTransaction(database, () => {
          if (writtenEpoch(owner, run.runId) < run.epoch) mark(owner, run);
        }),
      ),
    close: () => closeSqlite(database),
  };
}

function prepare(database: DatabaseSync) {
  const owner = 'tenant = ? AND resource = ? AND thread = ?';
  return {
    memory: database.prepare(`SELECT version, memory FROM working_memory WHERE ${owner}`),
    mark: database.prepare(`SELECT epoch FROM working_memory_runs WHERE ${owner} AND run = ? AND expires_at >= ?`),
    setMemory: database.prepare('INSERT OR REPLACE INTO working_memory VALUES (?, ?, ?, ?, ?)'),
    setMark: database.prepare('INSERT OR REPLACE INTO working_memory_runs VALUES (?, ?, ?, ?, ?, ?)'),
    forget: database.prepare('DELETE FROM working_memory_runs WHERE expires_at < ?'),
  };
}

/** No thread and a thread without a name are not the same. */
function keyOf({ tenant, key, threadId }: MemoryOwner): [string, string, string] {
  return [checkTenant(tenant), key, threadId === undefined ? '' : `:${threadId}`];
}

function recordOf(row: Row): MemoryRecord {
  if (row === undefined) return { memory: null, version: 0 };
  const memory: JsonObject = JSON.parse(String(row['memory']));
  return { memory, version: Number(row['version']) };
}
