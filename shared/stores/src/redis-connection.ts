// The connection to Redis. While the server is away a command fails at once, and one that is under way fails within its bound:
// a stage that waits for memory must not wait longer than its own time. Nothing is queued for later and nothing is sent again
// behind the caller's back; the caller may repeat a save. The connection restores itself.
import { MillraceError } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import { readRedisAccess, type RedisAccess } from './redis-access.ts';
import { storeUnavailable } from './store-errors.ts';

/** How long one command may take before it fails. Below a stage's default of 5 s, so that its second attempt fits. */
const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_RECONNECT_MS = 50;
/** The longest pause between two tries to connect. */
const MAX_RECONNECT_MS = 1_000;
/** How long a start waits for the server before it gives up. */
const START_WAIT_MS = 10_000;

export type RedisOptions = {
  url: string;
  /** Credentials and TLS files; default: the credentials of the address. */
  access?: RedisAccess | undefined;
  /** Client name in Redis's list of clients. */
  service: string;
  /** Of the store, as errors name it: "message store". */
  store: string;
  /** Called once when the connection is lost, and when it is restored. The connection needs no reaction. */
  log: { info(text: string): void; warn(detail: object, text: string): void };
  /** How long the server is waited for; 10 s if absent. */
  waitMs?: number;
};

/**
 * @throws store-unavailable if the server does not answer within `waitMs`; credentials-refused if it refuses user or
 * password; config-invalid for an unreadable file
 */
export async function connectRedis(options: RedisOptions): Promise<Redis> {
  const { url, access = {}, service, store, log, waitMs = START_WAIT_MS } = options;
  // A service without Redis starts without loading the client.
  const { Redis: RedisClient } = await import('ioredis');
  const redis: Redis = new RedisClient(url, {
    ...readRedisAccess(access),
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Detects a silently lost peer: a ping without a reply means that the connection is dead.
    socketTimeout: 2 * COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Restricted users may not send it.
    disableClientInfo: true,
    retryStrategy(tries) {
      readAgain(redis, access, log);
      return Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(tries, 10), MAX_RECONNECT_MS) * (0.5 + Math.random() / 2);
    },
    // After a failover the address leads to the new primary, but an open connection still to the old one, which is a replica now.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    connectionName: `millrace-${service}`,
  });
  let lastError = new Error('no connection');
  redis.on('error', (error: Error) => (lastError = error));
  if (!(await isReady(redis, waitMs))) {
    dropConnection(redis);
    if (isRefused(lastError)) throw createCredentialsError(store, lastError);
    throw storeUnavailable(store, `answer within ${waitMs} ms`, lastError);
  }
  logChanges(redis, log, () => lastError);
  return redis;
}

/** Waits for commands under way, within their timeout, then closes in any state of the server. */
export async function closeRedis(redis: Redis): Promise<void> {
  // A close that is wanted is no news.
  redis.removeAllListeners('close');
  await redis.quit().catch(() => undefined);
  dropConnection(redis);
}

/**
 * Ends the connection. If the TLS handshake is in progress, its socket emits two errors: the refused certificate and
 * the server's alert. The client listens to the first one only, and the second would end the process.
 */
function dropConnection(redis: Redis): void {
  redis.stream?.on('error', () => undefined);
  redis.disconnect();
}

function isReady(redis: Redis, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => resolve(false), waitMs);
    redis.once('ready', () => {
      clearTimeout(giveUp);
      resolve(true);
    });
    redis.on('error', (error: Error) => {
      if (!isRefused(error)) return;
      clearTimeout(giveUp);
      resolve(false);
    });
  });
}

/** The password or a certificate may have been rotated. If a file cannot be read, the connection keeps the former values. */
function readAgain({ options }: Redis, access: RedisAccess, log: RedisOptions['log']): void {
  try {
    Object.assign(options, readRedisAccess(access));
  } catch (error) {
    log.warn({ error: String(error) }, 'the credentials of Redis cannot be read again');
  }
}

const isRefused = ({ message }: Error): boolean => /\b(WRONGPASS|NOAUTH)\b/.test(message);

function createCredentialsError(store: string, cause: Error): MillraceError {
  return new MillraceError('credentials-refused', `The Redis server of the ${store} refuses the credentials.`, {
    path: 'REDIS_PASSWORD_FILE',
    remedy: 'Set REDIS_USERNAME and REDIS_PASSWORD_FILE to a user of the server and its password.',
    cause,
  });
}

/** Every try to reconnect that fails closes once more: only the first is news. */
function logChanges(redis: Redis, log: RedisOptions['log'], lastError: () => Error): void {
  let lost = false;
  redis.on('close', () => {
    if (lost) return;
    lost = true;
    log.warn({ error: lastError().message }, 'the connection to Redis is lost');
  });
  redis.on('ready', () => {
    lost = false;
    log.info('the connection to Redis is back');
  });
}
