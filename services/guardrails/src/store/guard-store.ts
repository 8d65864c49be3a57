// Stores the guards' data beyond a run in the service's Redis. It connects at the first use, because other guards work
// without Redis.
import {
  closeRedis,
  connectRedis,
  storeCalls,
  storeUnavailable,
  type RedisOptions,
  checkTenant,
} from '@millrace/stores';
import type { Redis } from 'ioredis';
import type { RunRef } from '@millrace/contracts';

export type GuardStore = {
  /** @param what operation for the error message. @throws store-unavailable, also without Redis */
  ask<T>(what: string, signal: AbortSignal, query: (redis: Redis) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const STORE = 'store of guards';
/** Below a stage's 5 s, so that the second attempt fits. */
const CONNECT_WAIT_MS = 2_000;
const answered = storeCalls(STORE);

export function createGuardStore(server: Pick<RedisOptions, 'url' | 'access'>, log: RedisOptions['log']): GuardStore {
  let connecting: Promise<Redis> | undefined;
  const connect = () => {
    connecting ??= connectRedis({ ...server, service: 'guardrails', store: STORE, log, waitMs: CONNECT_WAIT_MS });
    // An established connection reconnects by itself; if the first connect fails, the next call retries it.
    connecting.catch(() => (connecting = undefined));
    return connecting;
  };
  return {
    ask: (what, signal, question) => answered(what, signal, async () => question(await connect())),
    async close() {
      const redis = await connecting?.catch(() => undefined);
      if (redis) await closeRedis(redis);
    },
  };
}

/** Store of a service without Redis. */
export const NO_STORE: GuardStore = {
  ask: (what) =>
    Promise.reject(storeUnavailable(STORE, what, new Error('the service guardrails was started without REDIS_URL'))),
  close: async () => undefined,
};

export type OwnerScope = 'tenant' | 'resource' | 'thread';

/**
 * Builds a key that starts with the tenant. The braces keep the data of one owner in one slot of a Redis cluster.
 * @returns undefined if the run has no such owner; a thread without a resource is its own owner
 */
export function buildOwnerKey(what: string, scope: OwnerScope, run: RunRef): string | undefined {
  const { tenant, resourceId, threadId } = run;
  const toKeyName = (owner: readonly string[]) =>
    `${checkTenant(tenant)}:${what}:{${[scope, ...owner].map(encodeURIComponent).join(':')}}`;
  if (scope === 'tenant') return toKeyName([]);
  if (scope === 'resource' && resourceId !== undefined) return toKeyName(['resource', resourceId]);
  return threadId === undefined ? undefined : toKeyName(['thread', resourceId ?? '', threadId]);
}

/** Returns the key of the list of a resource's keys of one kind, in any scope; undefined if the run has no resource. */
export function buildListKey(
  what: string,
  { tenant, resourceId }: Pick<RunRef, 'tenant' | 'resourceId'>,
): string | undefined {
  return resourceId === undefined
    ? undefined
    : `${checkTenant(tenant)}:${what}:{list:${encodeURIComponent(resourceId)}}`;
}
