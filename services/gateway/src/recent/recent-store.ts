// Stores values for at most a minute, in the process or in Redis.
import type { Redis } from 'ioredis';

const MAX_ENTRIES = 20_000;

export type RecentStore = {
  get(key: string): Promise<string | undefined>;
  /** @param keepMs at most a minute */
  set(key: string, value: string, keepMs: number): Promise<void>;
  remove(key: string): Promise<void>;
};

export function createLocalStore(): RecentStore {
  const entries = new Map<string, { value: string; until: number }>();
  return {
    async get(key) {
      const found = entries.get(key);
      return found && found.until > Date.now() ? found.value : undefined;
    },
    async set(key, value, keepMs) {
      // The insertion order is about that of the expiry.
      for (const [old, { until }] of entries) {
        if (until > Date.now() && entries.size < MAX_ENTRIES) break;
        entries.delete(old);
      }
      entries.delete(key);
      entries.set(key, { value, until: Date.now() + keepMs });
    },
    async remove(key) {
      entries.delete(key);
    },
  };
}

/** While Redis is unavailable, the process remembers its own values, and returns those that Redis has not stored afterwards too. */
export function createSharedStore(redis: Redis): RecentStore {
  const local = createLocalStore();
  const unstored = createLocalStore();
  const name = (key: string) => `:gateway:requests:${key}`;
  return {
    // A value that Redis does not have was removed, by this gateway or another one.
    get: (key) =>
      redis.get(name(key)).then(
        (value) => value ?? unstored.get(key),
        () => local.get(key),
      ),
    async set(key, value, keepMs) {
      await local.set(key, value, keepMs);
      await redis.set(name(key), value, 'PX', Math.ceil(keepMs)).then(
        () => unstored.remove(key),
        () => unstored.set(key, value, keepMs),
      );
    },
    async remove(key) {
      await Promise.all([local.remove(key), unstored.remove(key)]);
      await redis.del(name(key)).catch(() => undefined);
    },
  };
}
