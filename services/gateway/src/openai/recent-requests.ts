// Remembers the runs of recent requests. The openai clients repeat a request by themselves after a lost connection and
// count the attempts in a header: a repeated request joins the run of the first one.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import type { Access } from '../access/access.ts';
import type { CallMark } from '../agents/client-calls.ts';

const JOIN_WITHIN_S = 60;
const MAX_REMEMBERED = 10_000;
const MS_PER_SECOND = 1_000;

export type RecentRequests = {
  /** Returns the run of the identical request of the same caller, if it was submitted within a minute. */
  find(fingerprint: string): Promise<string | undefined>;
  /** Called before the submission, so that a gateway that is killed after it leaves a trace. */
  remember(fingerprint: string, runId: string): Promise<void>;
};

export function fingerprint({ account, subject, identity }: Access, route: string, body: unknown): string {
  const text = JSON.stringify([identity.tenant, account, subject ?? null, route, body]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Returns the place of a value for the repetitions of a request that continues a run. */
export function createMark(access: Access, body: unknown, headers: Headers, recent: RecentRequests): CallMark {
  const print = fingerprint(access, 'results', body);
  return {
    isRepeated: isRepeated(headers),
    get: () => recent.find(print),
    set: (value) => recent.remember(print, value),
  };
}

/** Returns the run that a repeated request of an openai client joins. */
export const findRepeatedRun = async (
  client: Client,
  headers: Headers,
  print: string,
  recent: RecentRequests,
): Promise<string | undefined> => (isRepeated(headers) ? findJoined(client, await recent.find(print)) : undefined);

const isRepeated = (headers: Headers): boolean => Number(headers.get('x-stainless-retry-count') ?? 0) > 0;

/** A run that was cancelled with the first connection is not joined: the repeated request needs an answer. */
async function findJoined(client: Client, runId: string | undefined): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  try {
    return (await client.runs.get(runId)).status === 'cancelled' ? undefined : runId;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return runId;
    throw error;
  }
}

/** @param redis shared by all gateways; without it each process remembers its own requests */
export function createRecentRequests(redis?: Redis): RecentRequests {
  return redis ? createShared(redis) : createLocal();
}

function createLocal(): RecentRequests {
  const runs = new Map<string, { runId: string; until: number }>();
  return {
    async find(key) {
      const found = runs.get(key);
      return found && found.until > Date.now() ? found.runId : undefined;
    },
    async remember(key, runId) {
      // The insertion order is that of the expiry.
      for (const [old, { until }] of runs) {
        if (until > Date.now() && runs.size < MAX_REMEMBERED) break;
        runs.delete(old);
      }
      runs.delete(key);
      runs.set(key, { runId, until: Date.now() + JOIN_WITHIN_S * MS_PER_SECOND });
    },
  };
}

/** While Redis is unavailable, the process remembers its own requests. */
function createShared(redis: Redis): RecentRequests {
  const local = createLocal();
  const name = (key: string) => `:gateway:requests:${key}`;
  return {
    find: async (key) => (await redis.get(name(key)).catch(() => null)) ?? local.find(key),
    async remember(key, runId) {
      await local.remember(key, runId);
      await redis.set(name(key), runId, 'EX', JOIN_WITHIN_S).catch(() => undefined);
    },
  };
}
