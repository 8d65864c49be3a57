// Counts the requests, the streams and the tokens of each account, and refuses those above its limits. With Redis all
// replicas share the counts of requests and tokens; open streams are counted by each replica.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MillraceError, createPlaces } from '@millrace/contracts';
import type { Log } from '@millrace/service';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Redis } from 'ioredis';
import type { Access } from './access.ts';
import { createBodyBudget, type ArrivingBody } from './body-budget.ts';
import { createTokenMemory } from './counted-tokens.ts';

export type LimitSettings = {
  requestsPerMinute: number;
  streamsPerAccount: number;
  streams: number;
  /** Maximum size of a body. */
  bodyBytes: number;
  /** Absent: each process counts alone. */
  redis?: Redis | undefined;
  log: Pick<Log, 'warn'>;
};

export type Limits = {
  /** Returns headers with the state of the limit. @throws limit-exceeded */
  countRequest(access: Access): Promise<Record<string, string>>;
  /** Returns a function that frees the place. @throws limit-exceeded */
  openStream(access: Access): () => void;
  /** Counts the bytes of a body while it arrives. */
  openBody(access: Access): ArrivingBody;
  /** Adds the tokens of a run to the account's day when it ends or is suspended, also if its reader has left before. */
  countRun(access: Access, client: Client, runId: string): void;
  /** Adds tokens to the account's day. */
  countTokens(access: Access, tokens: number): Promise<void>;
};

const MINUTE_S = 60;
const DAY_S = 86_400;
const MS_PER_SECOND = 1_000;

export function createLimits(settings: LimitSettings): Limits {
  const { requestsPerMinute, streamsPerAccount, streams, redis, log } = settings;
  const openBody = createBodyBudget(settings.bodyBytes);
  const limiters = new Map<string, RateLimiterAbstract>();
  const openPlace = createPlaces({ all: streams });
  const takeUncounted = createTokenMemory(redis);

  const findLimiter = (name: string, points: number, duration: number): RateLimiterAbstract => {
    const key = `${name} ${points}`;
    const known = limiters.get(key) ?? createLimiter({ keyPrefix: `:gateway:limits:${name}`, points, duration }, redis);
    limiters.set(key, known);
    return known;
  };
  const limits: Limits = {
    countRun(access, client, runId) {
      if (access.identity.limits?.tokensPerDay === undefined) return;
      const count = async () => {
        const { usage } = await (await client.follow(runId)).result();
        const submittedAt = (await client.runs.get(runId)).summary?.submittedAt ?? '';
        const run = { tenant: access.identity.tenant, runId, submittedAt };
        await limits.countTokens(access, await takeUncounted(run, usage.totalTokens ?? 0));
      };
      void count().catch((error: unknown) => log.warn({ runId, err: error }, 'the tokens of a run are not counted'));
    },
    async countRequest(access) {
      const { requestsPerMinute: own = requestsPerMinute, tokensPerDay } = access.identity.limits ?? {};
      if (tokensPerDay !== undefined)
        await checkTokens(findLimiter('tokens', tokensPerDay, DAY_S), hashAccount(access));
      const counted = await consume(findLimiter('requests', own, MINUTE_S), hashAccount(access));
      const headers = describeLimit(own, counted);
      if (counted.consumedPoints <= own) return headers;
      throw createLimitError(`more than ${own} requests a minute`, counted.msBeforeNext);
    },
    openStream({ account, identity }) {
      const most = Math.min(identity.limits?.streams ?? streamsPerAccount, streamsPerAccount);
      const place = openPlace({ account, most });
      const full = place.grow(1);
      if (full === 'account') throw createLimitError(`more than ${most} open streams`, MS_PER_SECOND);
      if (full) throw createLimitError(`more than ${streams} open streams of all callers`, MS_PER_SECOND);
      return place.free;
    },
    openBody: ({ account }) => openBody(account),
    async countTokens(access, tokens) {
      const limit = access.identity.limits?.tokensPerDay;
      if (limit !== undefined && tokens > 0)
        await findLimiter('tokens', limit, DAY_S).penalty(hashAccount(access), tokens);
    },
  };
  return limits;
}

/** Names of accounts hold subjects of callers, which may have any characters. */
const hashAccount = ({ account }: Access): string => createHash('sha256').update(account).digest('base64url');

type LimiterOptions = { keyPrefix: string; points: number; duration: number };

/** While Redis is unavailable, each process counts alone. */
function createLimiter(options: LimiterOptions, redis: Redis | undefined): RateLimiterAbstract {
  const memory = new RateLimiterMemory(options);
  return redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory;
}

/** A refused request counts as well, as in the limiter. */
async function consume(limiter: RateLimiterAbstract, account: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(account);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

async function checkTokens(limiter: RateLimiterAbstract, account: string): Promise<void> {
  const counted = await limiter.get(account);
  if (counted && counted.consumedPoints >= limiter.points)
    throw createLimitError(`more than ${limiter.points} tokens a day`, counted.msBeforeNext);
}

function describeLimit(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(Math.max(0, remainingPoints)),
    'x-ratelimit-reset-requests': `${Math.ceil(msBeforeNext / MS_PER_SECOND)}s`,
  };
}

const createLimitError = (excess: string, retryAfterMs: number): MillraceError =>
  new MillraceError('limit-exceeded', `The credential has ${excess}.`, {
    retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)),
    remedy: 'Wait for the time of retry-after, or use a key with a higher limit.',
  });
