// What the memory services share, so that they cannot drift apart: who owns a memory, where it is kept, and how a store fails.
export { checkTenant } from './check-tenant.ts';
export { memoryOwner, ownerOfResource, ownerOfThread, resourceOf } from './memory-owner.ts';
export { closeRedis, connectRedis, type RedisOptions } from './redis-connection.ts';
export { readScript, runScript, type RedisScript } from './redis-script.ts';
export { RUN_MARK_TTL_MS } from './run-mark.ts';
export { closeSqlite, inTransaction, openSqlite, type SqliteOptions } from './sqlite-database.ts';
export { storeCalls, type StoreCall } from './store-call.ts';
export { sharedStoreSchema, type StoreConfig } from './store-config.ts';
export { saveSuperseded, storeUnavailable } from './store-errors.ts';
export { throughShortOutage } from './through-short-outage.ts';
