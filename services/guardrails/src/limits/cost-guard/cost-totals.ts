// Counts an owner's model costs per time window in Redis. Each call counts once, even if several replicas report it
// repeatedly. A window is a part of the UTC calendar, by the clock of the replica.
import type { RunRef } from '@millrace/contracts';
import { readScript, RUN_MARK_TTL_MS, runScript } from '@millrace/stores';
import { z } from 'zod';
import { type GuardStore, buildOwnerKey, type OwnerScope } from '../../store/guard-store.ts';

const HOUR_MS = 3_600_000;
/**
 * `chars`: length of the prefix of an ISO date that names the window. `keptMs`: retention of its total, longer than the
 * window.
 */
const WINDOWS = {
  minute: { chars: 16, keptMs: HOUR_MS },
  hour: { chars: 13, keptMs: 24 * HOUR_MS },
  day: { chars: 10, keptMs: 3 * 24 * HOUR_MS },
  month: { chars: 7, keptMs: 40 * 24 * HOUR_MS },
} as const;
export type CostWindow = keyof typeof WINDOWS;
export const WINDOW_NAMES = ['minute', 'hour', 'day', 'month'] as const satisfies readonly CostWindow[];

/** Totals are stored as integers in this fraction of the prices' unit, so that sums are exact. */
const PARTS = 1e9;
const toParts = (cost: number): number => Math.round(cost * PARTS);
const countCost = readScript(new URL('./count-cost.lua', import.meta.url));

/**
 * `cost`: a negative one is subtracted. `at`: the window, default the current one. `limit`: the total at or above which
 * nothing is added.
 */
type CountedCost = { run: RunRef; id: string; cost: number; at?: string; limit?: number | undefined };
/**
 * `isCounted`: whether the cost is in the total, from this call or an earlier one. `others`: the total without it.
 * `at`: the window.
 */
type Total = { isCounted: boolean; others: number; at: string };
const answerSchema = z.tuple([z.number(), z.coerce.number()]);

export type CostTotals = {
  /**
   * Returns the owner's total in the current window, or undefined if the run has no such owner. @throws
   * store-unavailable
   */
  read(run: RunRef, signal: AbortSignal): Promise<number | undefined>;
  /**
   * Adds a cost once per day for each id of the run. Returns undefined if the run has no such owner. @throws
   * store-unavailable
   */
  add(what: CountedCost, signal: AbortSignal): Promise<Total | undefined>;
};

export function createCostTotals(
  store: GuardStore,
  scope: OwnerScope,
  window: CostWindow,
  now: () => Date = () => new Date(),
): CostTotals {
  const { chars, keptMs } = WINDOWS[window];
  const getCurrentWindow = () => now().toISOString().slice(0, chars);
  const buildTotalKey = (owner: string, at = getCurrentWindow()) => `${owner}:${window}:${at}`;
  return {
    async read(run, signal) {
      const owner = buildOwnerKey('cost', scope, run);
      if (owner === undefined) return undefined;
      const total = await store.ask('read a cost', signal, (redis) => redis.get(buildTotalKey(owner)));
      return Number(total ?? 0) / PARTS;
    },
    async add({ run, id, cost, at = getCurrentWindow(), limit }, signal) {
      const owner = buildOwnerKey('cost', scope, run);
      if (owner === undefined) return undefined;
      // The mark does not name the window's date: a call that is reported again after midnight was counted before.
      const mark = `${owner}:${window}:${id}`;
      const args = [toParts(cost), keptMs, RUN_MARK_TTL_MS, limit === undefined ? '' : toParts(limit)];
      const answer = await store.ask('count a cost', signal, (redis) =>
        runScript(redis, countCost, [buildTotalKey(owner, at), mark], args),
      );
      const [isCounted, total] = answerSchema.parse(answer);
      return { isCounted: isCounted === 1, others: (total - isCounted * toParts(cost)) / PARTS, at };
    },
  };
}
