// Working memory in a file of this machine, for where no Redis can be had. The same contract; it cannot be shared between
// machines.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { storeUnavailable } from '../../store/memory-errors.ts';
import {
  RUN_MARK_TTL_MS,
  type MemoryOwner,
  type MemoryRecord,
  type MemoryWrite,
  type WorkingMemoryStore,
  type WriteOutcome,
} from '../../store/memory-store.ts';
import { inTransaction } from './sqlite-database.ts';

type Row = Record<string, SQLOutputValue> | undefined;

/** @param database as openSqliteDatabase made it; closed with the store */
export function createSqliteMemoryStore(database: DatabaseSync): WorkingMemoryStore {
  const statements = prepare(database);
  const read = (owner: MemoryOwner): MemoryRecord => recordOf(statements.memory.get(...keyOf(owner)));
  const writtenEpoch = (owner: MemoryOwner, runId: string): number =>
    Number(statements.mark.get(...keyOf(owner), runId)?.['epoch'] ?? 0);

  function compareAndSet({ owner, run, version, memory }: MemoryWrite): WriteOutcome {
    const marked = writtenEpoch(owner, run.runId);
    if (marked === run.epoch) return { outcome: 'repeated' };
    if (marked > run.epoch) return { outcome: 'superseded', epoch: marked };
    const current = read(owner);
    if (current.version !== version) return { outcome: 'conflict', ...current };

    const now = Date.now();
    statements.forget.run(now);
    statements.setMemory.run(...keyOf(owner), version + 1, JSON.stringify(memory));
    statements.setMark.run(...keyOf(owner), run.runId, run.epoch, now + RUN_MARK_TTL_MS);
    return { outcome: 'written' };
  }

  return {
    read: async (owner, signal) => answer('read', signal, () => read(owner)),
    readForRun: async (owner, runId, signal) =>
      answer('read', signal, () => ({ ...read(owner), writtenEpoch: writtenEpoch(owner, runId) })),
    compareAndSet: async (write, signal) =>
      answer('write', signal, () => inTransaction(database, () => compareAndSet(write))),
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

function prepare(database: DatabaseSync) {
  const owner = 'tenant = ? AND resource = ? AND thread = ?';
  return {
    memory: database.prepare(`SELECT version, memory FROM working_memory WHERE ${owner}`),
    mark: database.prepare(`SELECT epoch FROM working_memory_runs WHERE ${owner} AND run = ?`),
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

function answer<T>(what: string, signal: AbortSignal | undefined, ask: () => T): T {
  signal?.throwIfAborted();
  try {
    return ask();
  } catch (error) {
    throw MillraceError.isInstance(error) ? error : storeUnavailable(what, error);
  }
}
