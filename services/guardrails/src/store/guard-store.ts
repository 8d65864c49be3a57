// What guards keep beyond a run, in the Redis that the service was given. Connected when a guard first needs it: the other guards of the
// service judge whether there is a Redis or not.
import { closeRedis, connectRedis, storeCalls, storeUnavailable, type RedisOptions } from '@millrace/stores';
import type { Redis } from 'ioredis';

export type GuardStore = {
  /** @param what for the message of an error. @throws store-unavailable, also where the service was given none */
  ask<T>(what: string, signal: AbortSignal, question: (redis: Redis) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const STORE = 'store of guards';
/** Below a stage's 5 s, so that its second attempt fits. */
const CONNECT_WAIT_MS = 2_000;
const answered = storeCalls(STORE);

export function createGuardStore(url: string, log: RedisOptions['log']): GuardStore {
  let connecting: Promise<Redis> | undefined;
  const connected = () => {
    connecting ??= connectRedis({ url, service: 'guardrails', store: STORE, log, waitMs: CONNECT_WAIT_MS });
    // Once connected it comes back by itself; what never was is tried again by the next call.
    connecting.catch(() => (connecting = undefined));
    return connecting;
  };
  return {
    ask: (what, signal, question) => answered(what, signal, async () => question(await connected())),
    async close() {
      const redis = await connecting?.catch(() => undefined);
      if (redis) await closeRedis(redis);
    },
  };
}

/** Of a service that was given no Redis. */
export const NO_STORE: GuardStore = {
  ask: (what) =>
    Promise.reject(storeUnavailable(STORE, what, new Error('the service guardrails was started without REDIS_URL'))),
  close: async () => undefined,
};
