// What model calls have cost an owner in a window of time, counted in Redis: each call once, whichever replica is told of it, and however
// often. A window is a part of the calendar in UTC, by the clock of the replica.
import type { RunRef } from '@millrace/contracts';
import { readScript, RUN_MARK_TTL_MS, runScript } from '@millrace/stores';
import { z } from 'zod';
import type { GuardStore } from '../store/guard-store.ts';
import { ownerKey, type OwnerScope } from '../store/owner-key.ts';

const HOUR_MS = 3_600_000;
/** How much of an ISO date names the window, and how long its total is kept: longer than it lasts. */
const WINDOWS = {
  minute: { chars: 16, keptMs: HOUR_MS },
  hour: { chars: 13, keptMs: 24 * HOUR_MS },
  day: { chars: 10, keptMs: 3 * 24 * HOUR_MS },
  month: { chars: 7, keptMs: 40 * 24 * HOUR_MS },
} as const;
export type Window = keyof typeof WINDOWS;
export const WINDOW_NAMES = ['minute', 'hour', 'day', 'month'] as const satisfies readonly Window[];

/** Counted in whole parts of the prices' unit: sums of them are exact. */
const PARTS = 1e9;
const partsOf = (cost: number): number => Math.round(cost * PARTS);
const countCost = readScript(new URL('./count-cost.lua', import.meta.url));

/** `cost`: what is under 0 is taken off; `at`: the window, this one if absent; `limit`: from this total on nothing is added. */
type Counted = { run: RunRef; id: string; cost: number; at?: string; limit?: number | undefined };
/** `isCounted`: now or before; `others`: the total without it; `at`: of which window. */
type Total = { isCounted: boolean; others: number; at: string };
const answerSchema = z.tuple([z.number(), z.coerce.number()]);

export type CostTotals = {
  /** What the owner's calls have cost in this window. undefined: the run has no such owner. @throws store-unavailable */
  read(run: RunRef, signal: AbortSignal): Promise<number | undefined>;
  /** Counts it, once in a day for each id of the run. undefined: the run has no such owner. @throws store-unavailable */
  add(what: Counted, signal: AbortSignal): Promise<Total | undefined>;
};

export function createCostTotals(
  store: GuardStore,
  scope: OwnerScope,
  window: Window,
  now: () => Date = () => new Date(),
): CostTotals {
  const { chars, keptMs } = WINDOWS[window];
  const current = () => now().toISOString().slice(0, chars);
  const totalKey = (owner: string, at = current()) => `${owner}:${window}:${at}`;
  return {
    async read(run, signal) {
      const owner = ownerKey('cost', scope, run);
      if (owner === undefined) return undefined;
      const total = await store.ask('read a cost', signal, (redis) => redis.get(totalKey(owner)));
      return Number(total ?? 0) / PARTS;
    },
    async add({ run, id, cost, at = current(), limit }, signal) {
      const owner = ownerKey('cost', scope, run);
      if (owner === undefined) return undefined;
      // Not of the window: a call that is told of again after midnight was counted before it.
      const mark = `${owner}:${window}:${id}`;
      const args = [partsOf(cost), keptMs, RUN_MARK_TTL_MS, limit === undefined ? '' : partsOf(limit)];
      const answer = await store.ask('count a cost', signal, (redis) =>
        runScript(redis, countCost, [totalKey(owner, at), mark], args),
      );
      const [isCounted, total] = answerSchema.parse(answer);
      return { isCounted: isCounted === 1, others: (total - isCounted * partsOf(cost)) / PARTS, at };
    },
  };
}
