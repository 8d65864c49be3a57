// Stores working memory in Redis. Each memory is a hash; each run that has written to it has an expiring key.
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { checkTenant, closeRedis, readScript, RUN_MARK_TTL_MS, runScript, storeCalls } from '@millrace/stores';
import type { Redis } from 'ioredis';
import {
  STORE,
  listErasedMarks,
  type MemoryOwner,
  type MemoryRecord,
  type RunMark,
  type WorkingMemoryStore,
} from '../../store/memory-store.ts';

const compareAndSet = readScript(new URL('./compare-and-set.lua', import.meta.url));
const eraseOwner = readScript(new URL('./erase-owner.lua', import.meta.url));
const markRun = readScript(new URL('./mark-run.lua', import.meta.url));
const answered = storeCalls(STORE);

/** @param redis as connectRedis made it; closed with the store */
export function createRedisMemoryStore(redis: Redis): WorkingMemoryStore {
  return {
    async read(owner, signal) {
      const key = buildMemoryKey(owner);
      return parseRecord(await answered('read', signal, () => redis.hmget(key, ...FIELDS)));
    },

    async readForRun(owner, runId, signal) {
      const key = buildMemoryKey(owner);
      // Reads the mark first: an update between the two reads is then visible in the memory, and the write fails on its
      // version.
      const [mark, fields] = await answered('read', signal, () =>
        Promise.all([redis.get(buildMarkKey(key, runId)), redis.hmget(key, ...FIELDS)]),
      );
      return { ...parseRecord(fields), writtenEpoch: Number(mark ?? 0) };
    },

    async compareAndSet({ owner, run, version, memory, trust }, signal) {
      const key = buildMemoryKey(owner);
      const thread = owner.threadId === undefined ? [] : [owner.threadId];
      const flag = trust === 'trusted' ? '1' : '';
      const args = [version, JSON.stringify(memory), run.epoch, RUN_MARK_TTL_MS, flag, ...thread];
      const reply = await answered('write', signal, () =>
        runScript(redis, compareAndSet, [key, buildMarkKey(key, run.runId), buildThreadsKey(owner)], args),
      );
      const [outcome, ...rest] = Array.isArray(reply) ? reply.map(String) : [];
      switch (outcome) {
        case 'written':
        case 'repeated':
          return { outcome };
        case 'superseded':
          return { outcome, epoch: Number(rest[0]) };
        case 'conflict':
          return { outcome, ...parseRecord(rest) };
        default:
          throw new MillraceError('internal', `compare-and-set.lua answered ${JSON.stringify(reply)}.`);
      }
    },

    async markRun(owner, { runId, epoch }, signal) {
      const key = buildMarkKey(buildMemoryKey(owner), runId);
      await answered('write', signal, () => runScript(redis, markRun, [key], [epoch, RUN_MARK_TTL_MS]));
    },

    async forget(owner, signal) {
      const key = buildMemoryKey(owner);
      return (await answered('delete', signal, () => redis.del(key))) === 1;
    },

    async eraseOwner(owner, runs, signal) {
      for (const erased of listErasedMarks(owner, runs)) await markErased(redis, erased, signal);
      return answered('erase an owner', signal, async () => {
        const list = buildThreadsKey(owner);
        const threads = await redis.smembers(list);
        const keys = [list, ...listMemoryKeys(owner, threads)];
        const deleted = Number(await runScript(redis, eraseOwner, keys, threads));
        const left = await redis.exists(...listMemoryKeys(owner, await redis.smembers(list)));
        return { deleted, left };
      });
    },

    close: () => closeRedis(redis),
  };
}

/**
 * Starts with the tenant, which has no colon. Names from callers are encoded, so that they hold neither colon nor
 * brace; the braces keep a memory and its marks in one slot of a Redis Cluster. @throws token-invalid
 */
function buildMemoryKey(owner: MemoryOwner): string {
  const { threadId } = owner;
  const ofOwner = prefixOwner(owner);
  return threadId === undefined ? `${ofOwner}:resource` : `${ofOwner}:thread:${encodeURIComponent(threadId)}`;
}

async function markErased(
  redis: Redis,
  { owner, mark }: { owner: MemoryOwner; mark: RunMark },
  signal: AbortSignal | undefined,
): Promise<void> {
  const key = buildMarkKey(buildMemoryKey(owner), mark.runId);
  await answered('write', signal, () => runScript(redis, markRun, [key], [mark.epoch, RUN_MARK_TTL_MS]));
}

/** Returns the keys of the memories of an owner and of its threads. */
const listMemoryKeys = (owner: Omit<MemoryOwner, 'threadId'>, threads: readonly string[]): string[] => [
  buildMemoryKey(owner),
  ...threads.map((threadId) => buildMemoryKey({ ...owner, threadId })),
];

/** A set: the threads of an owner that have a memory of their own. */
const buildThreadsKey = ({ tenant, key }: MemoryOwner): string => `${prefixOwner({ tenant, key })}:threads`;

const prefixOwner = ({ tenant, key }: MemoryOwner): string =>
  `${checkTenant(tenant)}:working-memory:{${encodeURIComponent(key)}}`;
const buildMarkKey = (key: string, runId: string): string => `${key}:run:${runId}`;

/** `trusted`: the version that was written as trusted. */
const FIELDS = ['version', 'memory', 'trusted'] as const;

function parseRecord([version, memory, trusted]: readonly (string | null)[]): MemoryRecord {
  if (!version || !memory) return { memory: null, version: 0, trust: 'trusted' };
  const parsed: JsonObject | null = JSON.parse(memory);
  return { memory: parsed, version: Number(version), trust: trusted === version ? 'trusted' : 'untrusted' };
}
