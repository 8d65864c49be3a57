-- The embedded history store. Names are prefixed, so that another memory service may keep its tables in the same file.
-- resource_id is who owns the thread: shared/stores, memory-owner. A message's place is (block, position), and block is the thread's own sequence.
CREATE TABLE IF NOT EXISTS history_threads (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_message_at INTEGER,
  message_count INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  blocks INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX IF NOT EXISTS history_threads_by_update ON history_threads (tenant, updated_at, id);
CREATE INDEX IF NOT EXISTS history_threads_by_resource ON history_threads (tenant, resource_id, updated_at, id);

CREATE TABLE IF NOT EXISTS history_run_marks (
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  block INTEGER NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, thread_id, run_id)
) STRICT;

-- Runs of erased resources: their saves are rejected until then (ms since 1970).
CREATE TABLE IF NOT EXISTS history_erased_runs (
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (tenant, thread_id, run_id)
) STRICT;

CREATE TABLE IF NOT EXISTS history_messages (
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  id TEXT NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, thread_id, id)
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS history_messages_by_place ON history_messages (tenant, thread_id, block, position);
