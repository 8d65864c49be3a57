// Stores values for a minute, in the process or in Redis.
import type { Redis } from 'ioredis';

const KEEP_S = 60;
const MAX_ENTRIES = 20_000;
const MS_PER_SECOND = 1_000;

export type RecentStore = {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
};

export function createLocalStore(): RecentStore {
  const entries = new Map<string, { value: string; until: number }>();
  return {
    async get(key) {
      const found = entries.get(key);
      return found && found.until > Date.now() ? found.value : undefined;
    },
    async set(key, value) {
      // The insertion order is that of the expiry.
      for (const [old, { until }] of entries) {
        if (until > Date.now() && entries.size < MAX_ENTRIES) break;
        entries.delete(old);
      }
      entries.delete(key);
      entries.set(key, { value, until: Date.now() + KEEP_S * MS_PER_SECOND });
    },
    async remove(key) {
      entries.delete(key);
    },
  };
}

/** While Redis is unavailable, the process remembers its own values. */
export function createSharedStore(redis: Redis): RecentStore {
  const local = createLocalStore();
  const name = (key: string) => `:gateway:requests:${key}`;
  return {
    get: async (key) => (await redis.get(name(key)).catch(() => null)) ?? local.get(key),
    async set(key, value) {
      await local.set(key, value);
      await redis.set(name(key), value, 'EX', KEEP_S).catch(() => undefined);
    },
    async remove(key) {
      await local.remove(key);
      await redis.del(name(key)).catch(() => undefined);
    },
  };
}
