// @millrace/servers: finds, fetches and starts nats-server, redis-server and Qdrant. DESIGN.md explains the order.
export { chooseCacheDir, type Environment } from './host.ts';
export { findNats, findQdrant, findRedis, type FindOptions } from './find-program.ts';
export type { LogLineSink } from './find-context.ts';
export type { External, FoundServer, Program, Unavailable } from './search-result.ts';
export { isPortFree, isPortTaken, pickFreePort } from './free-port.ts';
export { provideNats, provideQdrant, provideRedis } from './provide-server.ts';
export type { RunningServer, StartServerOptions } from './running-server.ts';
export { ServerError, type ServerErrorCode } from './server-error.ts';
export { claimStore, type StoreClaim } from './store-claim.ts';
export { startNats, type NatsServer, type StartNatsOptions } from './start-nats.ts';
export { startQdrant, type QdrantServer, type StartQdrantOptions } from './start-qdrant.ts';
export { startRedis, type RedisServer, type StartRedisOptions } from './start-redis.ts';
