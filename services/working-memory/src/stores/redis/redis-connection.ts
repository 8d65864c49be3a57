// The connection to Redis. While the server is away a command fails at once, and one that is under way fails within its bound:
// a stage that waits for memory must not wait longer than its own time. Nothing is sent again behind the caller's back. The
// connection comes back by itself.
import { readFileSync } from 'node:fs';
import { Redis, type Result } from 'ioredis';
import { storeUnavailable } from '../../store/memory-errors.ts';

/** How long one command may take before it fails. */
const commandTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
/** The longest pause between two tries to connect. */
const maxReconnectDelayMs = 1_000;
/** How long a start waits for the server before it gives up. */
const startWaitMs = 10_000;

const lua = readFileSync(new URL('./compare-and-set.lua', import.meta.url), 'utf8');

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** compare-and-set.lua */
    compareAndSetMemory(...keysAndArgs: (string | number)[]): Result<unknown, Context>;
  }
}

export type RedisOptions = {
  url: string;
  /** Told of every connection that fails or breaks; the connection is tried again whatever it does. */
  onError?: (error: Error) => void;
  waitMs?: number;
};

/** @throws store-unavailable when the server does not answer in `waitMs` (10 s) */
export async function connectRedis({ url, onError, waitMs = startWaitMs }: RedisOptions): Promise<Redis> {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    // A peer that went away without a word: no answer to what was asked means that the connection is dead.
    socketTimeout: 2 * commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(50 * 2 ** Math.min(tries, 10), maxReconnectDelayMs) * (0.5 + Math.random() / 2),
    connectionName: 'millrace-working-memory',
    scripts: { compareAndSetMemory: { lua, numberOfKeys: 2 } },
  });
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
    onError?.(error);
  });
  const ready = Promise.withResolvers<boolean>();
  redis.once('ready', () => ready.resolve(true));
  const giveUp = setTimeout(() => ready.resolve(false), waitMs);
  const isReady = await ready.promise;
  clearTimeout(giveUp);
  if (isReady) return redis;
  redis.disconnect();
  throw storeUnavailable(`answer within ${waitMs} ms`, lastError ?? new Error('no connection'));
}
