// Remembers how many tokens of each run are counted, so that the same tokens do not count twice: a run that was suspended repeats the usage
// of its first part, and a repeated request follows the same run. With Redis all gateways share the memory.
import { SUSPENSION_LIMITS, setBounded } from '@millrace/contracts';
import type { Redis } from 'ioredis';

/** Returns the tokens of the run that are not counted yet, and counts them. @param total tokens of the run so far */
export type TakeUncounted = (run: CountedRun, total: number) => Promise<number>;
/** `submittedAt`: a run id is free again after the run was deleted or has expired. */
type CountedRun = { tenant: string; runId: string; submittedAt: string };

/** Number of runs that a process remembers. */
const MAX_RUNS = 10_000;
/** A suspended run may continue so long after its first part. */
const KEEP_S = SUSPENSION_LIMITS.maxSeconds + 86_400;

const TAKE = `
local counted = tonumber(redis.call('GET', KEYS[1]) or '0')
local total = tonumber(ARGV[1])
if total <= counted then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return total - counted`;

/** @param redis absent: each process remembers its own runs; also while Redis is unavailable */
export function createTokenMemory(redis: Redis | undefined): TakeUncounted {
  const local = new Map<string, number>();
  const takeLocal = (key: string, total: number): number => {
    const counted = local.get(key) ?? 0;
    if (total <= counted) return 0;
    setBounded(local, key, total, MAX_RUNS);
    return total - counted;
  };
  return async ({ tenant, runId, submittedAt }, total) => {
    const key = `:gateway:limits:counted:${tenant}:${runId}:${submittedAt}`;
    const own = takeLocal(key, total);
    if (!redis) return own;
    return redis.eval(TAKE, 1, key, total, KEEP_S).then(Number, () => own);
  };
}
