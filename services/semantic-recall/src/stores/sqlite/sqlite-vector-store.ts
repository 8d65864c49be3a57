// Vectors in a file of this machine, for where no Qdrant can be had. The same contract; it cannot be shared between machines,
// and a search takes as long as its scope has vectors.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MillraceError } from '@millrace/contracts';
import { collectionName } from '../../store/collection-name.ts';
import { checkTenant } from '@millrace/stores';
import { checkBlock, saveSuperseded, storeUnavailable } from '../../store/recall-errors.ts';
import { inTransaction } from './sqlite-database.ts';
import { chooseNearest, type Scope } from './sqlite-nearest.ts';
import { toBytes } from '../../store/vector-bytes.ts';
import {
  orderOf,
  savedAtOf,
  type Hit,
  type NearestQuery,
  type NeighbourQuery,
  type Recalled,
  type RecallOwner,
  type RunBlock,
  type VectorSpace,
  type VectorStore,
} from '../../store/vector-store.ts';

type Row = Record<string, SQLOutputValue>;
export type SqliteVectorOptions = {
  /** As openSqliteDatabase made it; closed with the store. */
  database: DatabaseSync;
  /** For tests: loads sqlite-vec. */
  loadExtension?: (database: DatabaseSync) => void;
  /** Told once, with the reason, when sqlite-vec cannot be loaded and searches scan in JavaScript. */
  onFallback?: (reason: string) => void;
};

export function createSqliteVectorStore({ database, loadExtension, onFallback }: SqliteVectorOptions): VectorStore {
  const nearest = chooseNearest(database, loadExtension, onFallback);
  const statements = prepare(database);

  function saveRun(space: VectorSpace, block: RunBlock): void {
    const collection = collectionName(space);
    const { tenant, key, threadId, runId, epoch } = block;
    const first = statements.first.get(collection, tenant, runId);
    const savedEpoch = Number(first?.['epoch'] ?? 0);
    if (savedEpoch > epoch) throw saveSuperseded(block, savedEpoch);

    const savedAt = first ? savedAtOf(Number(first['place'])) : Date.now();
    statements.remove.run(collection, tenant, runId);
    for (const [position, { messageId, role, text, createdAt, vector }] of block.messages.entries()) {
      const where = [collection, tenant, key, threadId, runId, epoch, position, orderOf(savedAt, position)];
      statements.add.run(...where, messageId, role, text, createdAt, toBytes(vector));
    }
  }

  function findNearest(space: VectorSpace, query: NearestQuery): Hit[] {
    const found = nearest(scopeOf(space, query, query.threadId), query);
    return found.flatMap(({ id, score }) => {
      const row = statements.message.get(id);
      return row ? [{ ...recalledOf(row), score }] : [];
    });
  }

  function findNeighbours(space: VectorSpace, query: NeighbourQuery): Recalled[] {
    return query.around.flatMap(({ threadId, order }) => {
      const { where, values } = scopeOf(space, query, threadId);
      const side = (than: '<' | '>', direction: 'DESC' | 'ASC', limit: number) =>
        database
          .prepare(
            `SELECT * FROM recall_messages WHERE ${where} AND place ${than} ? ORDER BY place ${direction} LIMIT ?`,
          )
          .all(...values, order, limit);
      return [...side('<', 'DESC', query.before), ...side('>', 'ASC', query.after)].map(recalledOf);
    });
  }

  return {
    async saveRun(space, block, signal) {
      checkBlock(block);
      if (block.messages.length === 0) return;
      answer('save a run', signal, () => inTransaction(database, () => saveRun(space, block)));
    },
    findNearest: async (space, query, signal) => answer('search', signal, () => findNearest(space, query)),
    findNeighbours: async (space, query, signal) =>
      answer('find neighbours', signal, () => findNeighbours(space, query)),
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

function prepare(database: DatabaseSync) {
  const ofRun = 'collection = ? AND tenant = ? AND run = ?';
  return {
    first: database.prepare(`SELECT epoch, place FROM recall_messages WHERE ${ofRun} AND position = 0`),
    remove: database.prepare(`DELETE FROM recall_messages WHERE ${ofRun}`),
    add: database.prepare('INSERT INTO recall_messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    message: database.prepare('SELECT * FROM recall_messages WHERE rowid = ?'),
  };
}

type Asker = { owner: RecallOwner; exceptRunId: string };

function scopeOf(space: VectorSpace, { owner, exceptRunId }: Asker, threadId: string | undefined): Scope {
  const values = [collectionName(space), checkTenant(owner.tenant), owner.key, exceptRunId];
  const where = 'collection = ? AND tenant = ? AND resource = ? AND run <> ?';
  return threadId === undefined
    ? { where, values }
    : { where: `${where} AND thread = ?`, values: [...values, threadId] };
}

function recalledOf(row: Row): Recalled {
  const text = (column: string) => String(row[column]);
  return {
    messageId: text('message'),
    role: row['role'] === 'user' ? 'user' : 'assistant',
    text: text('text'),
    createdAt: text('created'),
    threadId: text('thread'),
    runId: text('run'),
    order: Number(row['place']),
  };
}

function answer<T>(what: string, signal: AbortSignal | undefined, ask: () => T): T {
  signal?.throwIfAborted();
  try {
    return ask();
  } catch (error) {
    if (MillraceError.isInstance(error)) throw error;
    throw storeUnavailable(what, error instanceof Error ? error.message : String(error), error);
  }
}
