// The connection to Redis. While the server is away a command fails at once, and one that is under way fails within its bound:
// a stage that waits for memory must not wait longer than its own time. Nothing is queued for later and nothing is sent again
// behind the caller's back; a save may be repeated by whoever asked for it. The connection comes back by itself.
import { readFileSync } from 'node:fs';
import { Redis, type Result } from 'ioredis';
import { storeUnavailable } from '../../store/history-errors.ts';

/** How long one command may take before it fails. Below a stage's default of 5 s, so that its second attempt fits. */
const commandTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
/** The longest pause between two tries to connect. */
const maxReconnectDelayMs = 1_000;
/** How long a start waits for the server before it gives up. */
const startWaitMs = 10_000;

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
  /** Told when the connection is lost, once, and when it is back. What to do about it is done already. */
  onChange?: (state: 'lost' | 'back') => void;
  /** How long the server is waited for; 10 s if absent. */
  waitMs?: number;
};

/** @throws store-unavailable when the server does not answer in `waitMs` */
export async function connectRedis({ url, onChange, waitMs = startWaitMs }: RedisOptions): Promise<Redis> {
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
  let lastError = new Error('no connection');
  redis.on('error', (error: Error) => (lastError = error));
  if (!(await isReady(redis, waitMs))) {
    redis.disconnect();
    throw storeUnavailable(`answer within ${waitMs} ms`, lastError);
  }
  if (onChange) reportChanges(redis, onChange);
  return redis;
}

/** Lets what is under way end, which its own bound limits, then closes, however the server is. */
export async function closeRedis(redis: Redis): Promise<void> {
  // A close that is wanted is no news.
  redis.removeAllListeners('close');
  await redis.quit().catch(() => undefined);
  redis.disconnect();
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

/** Every try to reconnect that fails closes once more: only the first is news. */
function reportChanges(redis: Redis, onChange: (state: 'lost' | 'back') => void): void {
  let lost = false;
  redis.on('close', () => {
    if (lost) return;
    lost = true;
    onChange('lost');
  });
  redis.on('ready', () => {
    lost = false;
    onChange('back');
  });
}
