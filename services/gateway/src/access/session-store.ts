// Stores sealed sessions by the hash of their id: in Redis, so that every gateway serves them, or in this process. The
// sessions of one credential are bounded, and the oldest ends first.
import { MillraceError } from '@millrace/contracts';
import type { Redis } from 'ioredis';

type SessionEntry = {
  sealed: string;
  ttlSeconds: number;
  /** Hash of the credential. */
  owner: string;
};

export type SessionStore = {
  /** @throws store-unavailable */
  get(name: string): Promise<string | undefined>;
  /** @throws store-unavailable */
  set(name: string, entry: SessionEntry): Promise<void>;
  /** @throws store-unavailable */
  delete(name: string): Promise<void>;
};

type SessionLimits = { perOwner: number; inProcess: number };
const LIMITS: SessionLimits = { perOwner: 50, inProcess: 1_000 };
const MS_PER_SECOND = 1_000;

export const createSessionStore = (redis?: Redis, limits = LIMITS): SessionStore =>
  redis ? createSharedStore(redis, limits) : createLocalStore(limits);

export function createLocalStore({ perOwner, inProcess } = LIMITS): SessionStore {
  // The insertion order is that of the age.
  const sessions = new Map<string, { sealed: string; owner: string; until: number }>();
  const listNames = (owner?: string) =>
    [...sessions].filter(([, session]) => owner === undefined || session.owner === owner).map(([name]) => name);
  const dropOldest = (names: readonly string[], max: number) => {
    for (const name of names.slice(0, Math.max(0, names.length - max))) sessions.delete(name);
  };
  return {
    async get(name) {
      const found = sessions.get(name);
      if (found && found.until > Date.now()) return found.sealed;
      sessions.delete(name);
      return undefined;
    },
    async set(name, { sealed, ttlSeconds, owner }) {
      sessions.set(name, { sealed, owner, until: Date.now() + ttlSeconds * MS_PER_SECOND });
      dropOldest(listNames(owner), perOwner);
      dropOldest(listNames(), inProcess);
    },
    async delete(name) {
      sessions.delete(name);
    },
  };
}

function createSharedStore(redis: Redis, { perOwner }: SessionLimits): SessionStore {
  const buildKey = (name: string) => `:gateway:sessions:${name}`;
  /** The names of the sessions of one credential, by the time of their start. */
  const listKey = (owner: string) => `:gateway:session-names:${owner}`;
  return {
    get: (name) => guard(async () => (await redis.get(buildKey(name))) ?? undefined),
    set: (name, { sealed, ttlSeconds, owner }) =>
      guard(async () => {
        await redis.set(buildKey(name), sealed, 'EX', ttlSeconds);
        await redis.zadd(listKey(owner), performance.timeOrigin + performance.now(), name);
        await redis.expire(listKey(owner), ttlSeconds);
        const surplus = (await redis.zcard(listKey(owner))) - perOwner;
        if (surplus <= 0) return;
        const oldest = await redis.zrange(listKey(owner), '0', String(surplus - 1));
        for (const one of oldest) await redis.del(buildKey(one));
        await redis.zrem(listKey(owner), ...oldest);
      }),
    delete: (name) => guard(async () => void (await redis.del(buildKey(name)))),
  };
}

async function guard<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw new MillraceError('store-unavailable', 'The store of the sessions does not answer.', {
      remedy: 'Check Redis, or send the API key as Authorization: Bearer.',
      cause: error,
    });
  }
}
