// Stores sealed sessions by the hash of their id: in Redis, so that every gateway serves them, or in this process.
import { MillraceError } from '@millrace/contracts';
import type { Redis } from 'ioredis';

export type SessionStore = {
  /** @throws store-unavailable */
  get(name: string): Promise<string | undefined>;
  /** @throws store-unavailable */
  set(name: string, sealed: string, ttlSeconds: number): Promise<void>;
  /** @throws store-unavailable */
  delete(name: string): Promise<void>;
};

/** The oldest sessions of a process end first. */
const MAX_LOCAL_SESSIONS = 1_000;
const MS_PER_SECOND = 1_000;

export const createSessionStore = (redis?: Redis): SessionStore =>
  redis ? createSharedStore(redis) : createLocalStore();

export function createLocalStore(maxSessions = MAX_LOCAL_SESSIONS): SessionStore {
  const sessions = new Map<string, { sealed: string; until: number }>();
  return {
    async get(name) {
      const found = sessions.get(name);
      if (found && found.until > Date.now()) return found.sealed;
      sessions.delete(name);
      return undefined;
    },
    async set(name, sealed, ttlSeconds) {
      sessions.set(name, { sealed, until: Date.now() + ttlSeconds * MS_PER_SECOND });
      for (const oldest of sessions.keys()) {
        if (sessions.size <= maxSessions) break;
        sessions.delete(oldest);
      }
    },
    async delete(name) {
      sessions.delete(name);
    },
  };
}

function createSharedStore(redis: Redis): SessionStore {
  const key = (name: string) => `:gateway:sessions:${name}`;
  return {
    get: (name) => guard(async () => (await redis.get(key(name))) ?? undefined),
    set: (name, sealed, ttlSeconds) => guard(async () => void (await redis.set(key(name), sealed, 'EX', ttlSeconds))),
    delete: (name) => guard(async () => void (await redis.del(key(name)))),
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
