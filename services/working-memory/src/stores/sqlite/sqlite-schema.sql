-- The embedded working memory. Names are prefixed, so that another memory service may keep its tables in the same file. The column
-- resource is who owns the memory: shared/stores, memory-owner. Without a thread the column is '', not null: a primary key does
-- not hold two nulls to be the same.
CREATE TABLE IF NOT EXISTS working_memory (
  tenant TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL,
  version INTEGER NOT NULL, memory TEXT NOT NULL,
  PRIMARY KEY (tenant, resource, thread)
) STRICT, WITHOUT ROWID;
-- The version of a memory that was written as trusted. A table of its own: earlier versions of the service write the same file.
CREATE TABLE IF NOT EXISTS working_memory_trusted (
  tenant TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (tenant, resource, thread)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS working_memory_runs (
  tenant TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL, run TEXT NOT NULL,
  epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, resource, thread, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS working_memory_runs_expiry ON working_memory_runs (expires_at);
