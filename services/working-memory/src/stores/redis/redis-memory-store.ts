// Working memory in Redis. Each memory is a hash, each run that has written to it a key beside it that expires by itself.
import type { Redis } from 'ioredis';
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { storeUnavailable } from '../../store/memory-errors.ts';
import {
  RUN_MARK_TTL_MS,
  type MemoryOwner,
  type MemoryRecord,
  type WorkingMemoryStore,
} from '../../store/memory-store.ts';

/** @param redis as connectRedis made it; closed with the store */
export function createRedisMemoryStore(redis: Redis): WorkingMemoryStore {
  return {
    async read(owner, signal) {
      const key = memoryKey(owner);
      const [version, memory] = await answer('read', signal, () => redis.hmget(key, 'version', 'memory'));
      return recordOf(version, memory);
    },

    async readForRun(owner, runId, signal) {
      const key = memoryKey(owner);
      // The mark first: an update that lands in between is then seen in the memory, and the write finds its version wrong.
      const [mark, [version, memory]] = await answer('read', signal, () =>
        Promise.all([redis.get(markKey(key, runId)), redis.hmget(key, 'version', 'memory')]),
      );
      return { ...recordOf(version, memory), writtenEpoch: Number(mark ?? 0) };
    },

    async compareAndSet({ owner, run, version, memory }, signal) {
      const key = memoryKey(owner);
      const args = [version, JSON.stringify(memory), run.epoch, RUN_MARK_TTL_MS];
      const reply = await answer('write', signal, () =>
        redis.compareAndSetMemory(key, markKey(key, run.runId), ...args),
      );
      const [outcome, ...rest] = Array.isArray(reply) ? reply.map(String) : [];
      switch (outcome) {
        case 'written':
        case 'repeated':
          return { outcome };
        case 'superseded':
          return { outcome, epoch: Number(rest[0]) };
        case 'conflict':
          return { outcome, ...recordOf(rest[0], rest[1]) };
        default:
          throw new MillraceError('internal', `compare-and-set.lua answered ${JSON.stringify(reply)}.`);
      }
    },

    async close() {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

/**
 * Begins with the tenant, which has no colon. What the caller named is encoded, so that it can hold neither a colon nor a brace;
 * the braces keep a memory and its marks in one slot of a Redis cluster. @throws token-invalid
 */
function memoryKey({ tenant, key, threadId }: MemoryOwner): string {
  const ofResource = `${checkTenant(tenant)}:working-memory:{${encodeURIComponent(key)}}`;
  return threadId === undefined ? `${ofResource}:resource` : `${ofResource}:thread:${encodeURIComponent(threadId)}`;
}

const markKey = (key: string, runId: string): string => `${key}:run:${runId}`;

function recordOf(version: string | null | undefined, memory: string | null | undefined): MemoryRecord {
  if (!version || !memory) return { memory: null, version: 0 };
  const parsed: JsonObject = JSON.parse(memory);
  return { memory: parsed, version: Number(version) };
}

async function answer<T>(what: string, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await ask();
  } catch (error) {
    throw storeUnavailable(what, error);
  }
}
