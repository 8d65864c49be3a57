// Shares code of the memory services, so that they cannot diverge: the owner of a memory, its store, and the errors of
// a store.
export {
  RUN_MARK_TTL_MS,
  checkTenant,
  findResource,
  chooseMemoryOwner,
  buildResourceOwner,
  buildThreadOwner,
  isOwnResource,
  requireOwnResource,
  type MemoryCaller,
} from './memory-owner.ts';
export { redisAccessSchema } from './redis-access.ts';
export { closeRedis, connectRedis, type RedisOptions } from './redis-connection.ts';
export { readScript, runScript, type RedisScript } from './redis-script.ts';
export {
  closeSqlite,
  eraseFromSqlite,
  markDeleted,
  runInSnapshot,
  runInTransaction,
  openSqlite,
  type SqliteOptions,
} from './sqlite-database.ts';
export { storeCalls, type StoreCall } from './store-call.ts';
export { defineSharedStoreSchema, type StoreConfig } from './store-config.ts';
export { saveSuperseded, storeUnavailable } from './store-errors.ts';
export { retryShortOutage } from './retry-short-outage.ts';
