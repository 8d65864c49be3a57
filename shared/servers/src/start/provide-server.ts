// Provides a server for a stack: the one that the environment names, or a new one. A test that needs an empty server
// calls start* instead, which ignores the environment's addresses.
import { findNats, findQdrant, findRedis } from '../find/find-program.ts';
import type { External, Unavailable } from '../find/search-result.ts';
import { startNats, type NatsServer, type StartNatsOptions } from './start-nats.ts';
import { startQdrant, type QdrantServer, type StartQdrantOptions } from './start-qdrant.ts';
import { startRedis, type RedisServer, type StartRedisOptions } from './start-redis.ts';

/** @throws ServerError `store-in-use`, `start-failed` */
export async function provideNats(options: StartNatsOptions): Promise<External | NatsServer | Unavailable> {
  const found = await findNats(options);
  return found.kind === 'program' ? startNats({ ...options, program: found }) : found;
}

/** @throws ServerError `store-in-use`, `start-failed` */
export async function provideRedis(options: StartRedisOptions): Promise<External | RedisServer | Unavailable> {
  const found = await findRedis(options);
  return found.kind === 'program' ? startRedis({ ...options, program: found }) : found;
}

/** @throws ServerError `store-in-use`, `start-failed` */
export async function provideQdrant(options: StartQdrantOptions): Promise<External | QdrantServer | Unavailable> {
  const found = await findQdrant(options);
  return found.kind === 'program' ? startQdrant({ ...options, program: found }) : found;
}
