// The connection to Redis. While the server is away a command fails at once, and one that is under way fails within its bound:
// a stage that waits for memory must not wait longer than its own time. Nothing is queued for later and nothing is sent again
// behind the caller's back; a save may be repeated by whoever asked for it. The connection comes back by itself.
import { readFileSync } from 'node:fs';
import { Redis, type Result } from 'ioredis';
import { storeUnavailable } from './history-errors.ts';

/** How long one command may take before it fails. Below a stage's default of 5 s, so that its second attempt fits. */
const commandTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
/** The longest pause between two tries to connect. */
const maxReconnectDelayMs = 1_000;
/** How long a start waits for the server before it gives up. */
const startWaitMs = 10_000;
/** How long a close waits for the answers that are under way. */
const closeWaitMs = 2_000;

const script = (name: string, numberOfKeys: number) => ({
  lua: readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8'),
  numberOfKeys,
});

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** save-block.lua */
    saveBlock(...keysAndArgs: (string | number)[]): Result<unknown, Context>;
    /** read-messages.lua */
    readMessages(...keysAndArgs: (string | number)[]): Result<unknown, Context>;
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
    connectionName: 'millrace-message-history',
    scripts: { saveBlock: script('save-block', 6), readMessages: script('read-messages', 3) },
  });
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
    onError?.(error);
  });
  if (await isReady(redis, waitMs)) return redis;
  redis.disconnect();
  throw storeUnavailable(`answer within ${waitMs} ms`, lastError ?? new Error('no connection'));
}

/** Lets what is under way end, then closes, however the server is. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'end') return;
  const ended = new Promise<void>((resolve) => void redis.once('end', () => resolve()));
  const giveUp = setTimeout(() => redis.disconnect(), closeWaitMs);
  redis.quit().catch(() => redis.disconnect());
  await ended;
  clearTimeout(giveUp);
}

function isReady(redis: Redis, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => resolve(false), waitMs);
    redis.once('ready', () => {
      clearTimeout(giveUp);
      resolve(true);
    });
  });
}
