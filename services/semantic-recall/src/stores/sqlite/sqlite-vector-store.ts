// Stores vectors in a local file for machines without Qdrant, with the same contract. Machines cannot share it, and the
// time of a search grows with the vectors of its scope.
import { readFileSync } from 'node:fs';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { ERASED_EPOCH } from '@millrace/contracts';
import {
  checkTenant,
  closeSqlite,
  runInSnapshot,
  runInTransaction,
  openSqlite,
  saveSuperseded,
  storeCalls,
} from '@millrace/stores';
import { RUN_MARK_TTL_MS } from '@millrace/stores';
import { buildCollectionName } from '../../store/point-id.ts';
import { computePointId } from '../../store/point-id.ts';
import { encodeVector } from '../../store/vector-bytes.ts';
import {
  computeOrder,
  STORE,
  readTick,
  type RecallHit,
  type NearestQuery,
  type SurroundingQuery,
  type RecalledMessage,
  type RecallOwner,
  type RecallPlace,
  type VectorBlock,
  type VectorSpace,
  type VectorStore,
  checkBlock,
} from '../../store/vector-store.ts';
import { createSqliteDeletions } from './sqlite-deletions.ts';
import { chooseNearest, type SqlScope } from './sqlite-nearest.ts';

type RecallRow = Record<string, SQLOutputValue>;
export type SqliteVectorOptions = {
  /** See openSqlite(). */
  path: string;
  /** For tests: loads sqlite-vec. */
  loadExtension?: (database: DatabaseSync) => void;
  /** Called once with the reason if sqlite-vec cannot be loaded and searches scan in JavaScript. */
  onFallback?: (reason: string) => void;
};

const schema = readFileSync(new URL('./sqlite-schema.sql', import.meta.url), 'utf8');
const answered = storeCalls(STORE);

/** @throws store-unavailable */
export function openSqliteVectorStore({ path, loadExtension, onFallback }: SqliteVectorOptions): VectorStore {
  const database = openSqlite({ path, schema, store: STORE, allowExtension: true });
  const nearest = chooseNearest(database, loadExtension, onFallback);
  const statements = prepare(database);

  function saveRun(space: VectorSpace, block: VectorBlock): void {
    const { runId, epoch } = block;
    const place = listPlaceKeys(space, block);
    if (statements.erased.get(block.tenant, block.key, runId, Date.now())) throw saveSuperseded(block, ERASED_EPOCH);
    const saved = statements.saved.get(...place, runId, createRecentOrder());
    const savedEpoch = Number(saved?.['epoch'] ?? 0);
    if (savedEpoch > epoch) throw saveSuperseded(block, savedEpoch);

    const last = Number(statements.last.get(...place)?.['place'] ?? 0);
    const ownTick = typeof saved?.['place'] === 'number' ? readTick(saved['place']) : undefined;
    const tick = ownTick ?? Math.max(Date.now(), readTick(last) + 1);
    statements.remove.run(...place, runId, createRecentOrder());
    for (const [position, message] of block.messages.entries()) {
      const { messageId, role, text, createdAt, trust, vector } = message;
      const point = computePointId(block, message);
      const where = [...place, runId, epoch, computeOrder(tick, position), point];
      const { changes } = statements.add.run(...where, messageId, role, text, createdAt, encodeVector(vector));
      if (changes === 0) continue;
      const setTrust = trust === 'trusted' ? statements.trust : statements.distrust;
      setTrust.run(buildCollectionName(space), point);
    }
  }

  function findNearest(space: VectorSpace, query: NearestQuery): RecallHit[] {
    const found = nearest(buildScope(space, query, query.threadId), query);
    return found.flatMap(({ id, score }) => {
      const row = statements.message.get(id);
      return row ? [{ ...toRecalledMessage(row), score }] : [];
    });
  }

  function findSurrounding(space: VectorSpace, query: SurroundingQuery): RecalledMessage[] {
    return query.around.flatMap(({ threadId, order }) => {
      const { where, values } = buildScope(space, query, threadId);
      const readSide = (than: '<' | '>', direction: 'DESC' | 'ASC', limit: number) =>
        database
          .prepare(
            `SELECT ${COLUMNS} FROM recall_points WHERE ${where} AND place ${than} ? ORDER BY place ${direction} LIMIT ?`,
          )
          .all(...values, order, limit);
      return [...readSide('<', 'DESC', query.before), ...readSide('>', 'ASC', query.after)].map(toRecalledMessage);
    });
  }

  return {
    saveRun: (space, block, signal) =>
      answered('save a run', signal, () => {
        checkBlock(block);
        if (block.messages.length > 0) runInTransaction(database, () => saveRun(space, block));
      }),
    findKnown: (space, run, messages, signal) =>
      answered('look for messages', signal, () => {
        checkTenant(run.tenant);
        const ids = messages.map((message) => computePointId(run, message));
        return new Set(
          ids.filter((id) => statements.known.get(buildCollectionName(space), id, run.runId) !== undefined),
        );
      }),
    findNearest: (space, query, signal) =>
      answered('search', signal, () => runInSnapshot(database, () => findNearest(space, query))),
    findSurrounding: (space, query, signal) =>
      answered('find the surrounding messages', signal, () => findSurrounding(space, query)),
    ...createSqliteDeletions(database),
    close: () => closeSqlite(database),
  };
}

const COLUMNS = `*, EXISTS (SELECT 1 FROM recall_trusted AS known
  WHERE known.collection = recall_points.collection AND known.point = recall_points.point) AS trusted`;

function prepare(database: DatabaseSync) {
  const ofThread = 'collection = ? AND tenant = ? AND resource = ? AND thread = ?';
  return {
    erased: database.prepare(
      'SELECT 1 FROM recall_erased_runs WHERE tenant = ? AND resource = ? AND run = ? AND until >= ?',
    ),
    saved: database.prepare(
      `SELECT max(epoch) AS epoch, min(place) AS place FROM recall_points WHERE ${ofThread} AND run = ? AND place >= ?`,
    ),
    last: database.prepare(`SELECT max(place) AS place FROM recall_points WHERE ${ofThread}`),
    remove: database.prepare(`DELETE FROM recall_points WHERE ${ofThread} AND run = ? AND place >= ?`),
    // A message that another run saved is the same message: it remains in place.
    add: database.prepare('INSERT OR IGNORE INTO recall_points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    trust: database.prepare('INSERT OR IGNORE INTO recall_trusted VALUES (?, ?)'),
    distrust: database.prepare('DELETE FROM recall_trusted WHERE collection = ? AND point = ?'),
    known: database.prepare('SELECT 1 FROM recall_points WHERE collection = ? AND point = ? AND run <> ?'),
    message: database.prepare(`SELECT ${COLUMNS} FROM recall_points WHERE rowid = ?`),
  };
}

/** Ignores older rows: the marks of their runs have expired, so an equal run id names another run. */
function createRecentOrder(): number {
  return computeOrder(Date.now() - RUN_MARK_TTL_MS, 0);
}

function listPlaceKeys(space: VectorSpace, { tenant, key, threadId }: RecallPlace): [string, string, string, string] {
  return [buildCollectionName(space), checkTenant(tenant), key, threadId];
}

type QueryOwner = { owner: RecallOwner; exceptRunId: string };

function buildScope(space: VectorSpace, { owner, exceptRunId }: QueryOwner, threadId: string | undefined): SqlScope {
  const values = [buildCollectionName(space), checkTenant(owner.tenant), owner.key, exceptRunId];
  const where = 'collection = ? AND tenant = ? AND resource = ? AND run <> ?';
  return threadId === undefined
    ? { where, values }
    : { where: `${where} AND thread = ?`, values: [...values, threadId] };
}

function toRecalledMessage(row: RecallRow): RecalledMessage {
  const readText = (column: string) => String(row[column]);
  return {
    messageId: readText('message'),
    role: row['role'] === 'user' ? 'user' : 'assistant',
    text: readText('text'),
    createdAt: readText('created'),
    trust: row['trusted'] === 1 ? 'trusted' : 'untrusted',
    threadId: readText('thread'),
    runId: readText('run'),
    order: Number(row['place']),
  };
}
