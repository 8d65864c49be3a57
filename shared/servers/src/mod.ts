// @millrace/servers: finds, fetches and starts nats-server, redis-server and Qdrant. DESIGN.md explains the order.
export { chooseCacheDir, type Environment } from './process/host.ts';
export { findNats, findQdrant, findRedis, type FindOptions } from './find/find-program.ts';
export type { LogLineSink } from './find/find-context.ts';
export type { External, FoundServer, Program, Unavailable } from './find/search-result.ts';
export { isPortFree, isPortTaken, pickFreePort } from './process/free-port.ts';
export { provideNats, provideQdrant, provideRedis } from './start/provide-server.ts';
export type { RunningServer, StartServerOptions } from './start/running-server.ts';
export { ServerError, type ServerErrorCode } from './process/server-error.ts';
export { claimStore, type StoreClaim } from './process/store-claim.ts';
export { startNats, type NatsServer, type StartNatsOptions } from './start/start-nats.ts';
export { startQdrant, type QdrantServer, type StartQdrantOptions } from './start/start-qdrant.ts';
export { startRedis, type RedisServer, type StartRedisOptions } from './start/start-redis.ts';
