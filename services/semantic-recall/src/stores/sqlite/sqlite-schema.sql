-- The embedded vector store. Names are prefixed, so that another memory service may keep its tables in the same file. The column
-- resource is who owns the memory: shared/stores, memory-owner.
CREATE TABLE IF NOT EXISTS recall_points (
  collection TEXT NOT NULL, tenant TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL,
  run TEXT NOT NULL, epoch INTEGER NOT NULL, place INTEGER NOT NULL, point TEXT NOT NULL,
  message TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, created TEXT NOT NULL, vector BLOB NOT NULL,
  UNIQUE (collection, point)
) STRICT;
-- Points with trusted texts. A table of its own: earlier versions of the service write the same file.
CREATE TABLE IF NOT EXISTS recall_trusted (
  collection TEXT NOT NULL, point TEXT NOT NULL, PRIMARY KEY (collection, point)
) STRICT, WITHOUT ROWID;
-- Runs of erased resources: their saves are rejected until then (ms since 1970).
CREATE TABLE IF NOT EXISTS recall_erased_runs (
  tenant TEXT NOT NULL, resource TEXT NOT NULL, run TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (tenant, resource, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS recall_points_by_place ON recall_points (collection, tenant, resource, thread, place);
CREATE INDEX IF NOT EXISTS recall_points_by_run ON recall_points (collection, tenant, resource, thread, run);
