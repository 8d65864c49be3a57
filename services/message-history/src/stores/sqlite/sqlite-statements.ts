// Statements of the embedded store, prepared once for a database.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type HistoryRow = Record<string, SQLOutputValue>;
export type Statements = ReturnType<typeof prepareStatements>;

const THREAD = `id, resource_id AS owner, title, created_at AS createdAt, updated_at AS updatedAt,
  last_message_at AS lastMessageAt, message_count AS messageCount, metadata`;
const LATEST_FIRST = 'ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?';
// The column `bytes` gives the size of a body without reading it.
const SIZES = 'SELECT rowid, octet_length(body) AS bytes';
const OF_THREAD = 'FROM history_messages WHERE tenant = ? AND thread_id = ?';

export function prepareStatements(database: DatabaseSync) {
  const prepareStatement = (text: string) => database.prepare(text);
  return {
    findThread: prepareStatement(`SELECT ${THREAD} FROM history_threads WHERE tenant = ? AND id = ?`),
    countThreads: prepareStatement('SELECT count(*) AS total FROM history_threads WHERE tenant = ?'),
    countOwnThreads: prepareStatement(
      'SELECT count(*) AS total FROM history_threads WHERE tenant = ? AND resource_id = ?',
    ),
    listThreads: prepareStatement(`SELECT ${THREAD} FROM history_threads WHERE tenant = ? ${LATEST_FIRST}`),
    listOwnThreads: prepareStatement(
      `SELECT ${THREAD} FROM history_threads WHERE tenant = ? AND resource_id = ? ${LATEST_FIRST}`,
    ),
    lastMessages: prepareStatement(`${SIZES} ${OF_THREAD} ORDER BY block DESC, position DESC LIMIT ?`),
    listMessages: prepareStatement(`${SIZES} ${OF_THREAD} ORDER BY block, position LIMIT ? OFFSET ?`),

    body: prepareStatement('SELECT body FROM history_messages WHERE rowid = ?'),

    findRun: prepareStatement(`
      SELECT epoch, block FROM history_run_marks
      WHERE tenant = ? AND thread_id = ? AND run_id = ? AND saved_at >= ?`),
    findMessage: prepareStatement(`SELECT body ${OF_THREAD} AND id = ?`),
    beginBlock: prepareStatement(`
      INSERT INTO history_threads (tenant, id, resource_id, title, created_at, updated_at, message_count, metadata, blocks)
      VALUES (:tenant, :threadId, :owner, :title, :now, :now, 0, :metadata, 1)
      ON CONFLICT (tenant, id) DO UPDATE SET blocks = blocks + 1
      RETURNING blocks`),
    // A thread of an earlier version has no list of agents, and gets none: its first agents are unknown.
    addAgent: prepareStatement(`
      UPDATE history_threads SET metadata = json_insert(metadata, '$.agents[#]', :agent)
      WHERE tenant = :tenant AND id = :threadId AND json_type(metadata, '$.agents') = 'array'
        AND NOT EXISTS (SELECT 1 FROM json_each(metadata, '$.agents') WHERE value = :agent)`),
    clearBlock: prepareStatement('DELETE FROM history_messages WHERE tenant = ? AND thread_id = ? AND block = ?'),
    // A message that another run stored under this id is the same message: it remains in place.
    addMessage: prepareStatement(`
      INSERT INTO history_messages (tenant, thread_id, id, block, position, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (tenant, thread_id, id) DO NOTHING`),
    writeRun: prepareStatement(`
      INSERT OR REPLACE INTO history_run_marks (tenant, thread_id, run_id, epoch, block, saved_at)
      VALUES (?, ?, ?, ?, ?, ?)`),
    isErased: prepareStatement(
      'SELECT 1 FROM history_erased_runs WHERE tenant = ? AND thread_id = ? AND run_id = ? AND until >= ?',
    ),
    eraseRun: prepareStatement('INSERT OR REPLACE INTO history_erased_runs VALUES (?, ?, ?, ?)'),
    forgetErased: prepareStatement('DELETE FROM history_erased_runs WHERE until < ?'),
    listOwned: prepareStatement('SELECT id FROM history_threads WHERE tenant = ? AND resource_id = ?'),
    setFirstTitle: prepareStatement('UPDATE history_threads SET title = ? WHERE tenant = ? AND id = ? AND title = ?'),
    setTitle: prepareStatement('UPDATE history_threads SET title = ? WHERE tenant = ? AND id = ?'),
    // The list of agents stays.
    setMetadata: prepareStatement(`
      UPDATE history_threads SET metadata = iif(
        json_type(metadata, '$.agents') IS NULL, ?1, json_set(?1, '$.agents', json_extract(metadata, '$.agents')))
      WHERE tenant = ?2 AND id = ?3`),
    dropMessages: prepareStatement('DELETE FROM history_messages WHERE tenant = ? AND thread_id = ?'),
    dropRuns: prepareStatement('DELETE FROM history_run_marks WHERE tenant = ? AND thread_id = ?'),
    dropThread: prepareStatement('DELETE FROM history_threads WHERE tenant = ? AND id = ?'),
    dropMessage: prepareStatement('DELETE FROM history_messages WHERE tenant = ? AND thread_id = ? AND id = ?'),
    findLast: prepareStatement(`SELECT id ${OF_THREAD} ORDER BY block DESC, position DESC LIMIT 1`),
    findTail: prepareStatement(`
      SELECT id ${OF_THREAD} AND (block, position) >= (
        SELECT block, position ${OF_THREAD} AND id = ?
      ) ORDER BY block, position LIMIT ?`),
    countDropped: prepareStatement(
      'UPDATE history_threads SET message_count = message_count - ? WHERE tenant = ? AND id = ?',
    ),
    trimRuns: prepareStatement('DELETE FROM history_run_marks WHERE tenant = ? AND thread_id = ? AND block <= ?'),
    // Clocks of processes can step back; the thread's time never does.
    touchThread: prepareStatement(`
      UPDATE history_threads SET
        updated_at = max(updated_at, :now),
        last_message_at = iif(:hasMessages, max(updated_at, :now), last_message_at),
        message_count = message_count - :removed + :added
      WHERE tenant = :tenant AND id = :threadId`),
  };
}
