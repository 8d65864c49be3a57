// The account of a budget: the cost of its calls in the current day and month, and the reservations of calls in progress. Pure. All
// orchestrators share it, and each change is one compare-and-set of a whole account (account-entry.ts). Amounts are integers: billionths of the
// unit of the prices.
import { storedVersionSchema, type MoneyLimits } from '@millrace/contracts';
import { z } from 'zod';

/** An orchestrator that has not written for this long is lost, ms. */
export const LEASE_MS = 60_000;
/** The entry of an orchestrator is removed this long after its lease, ms. */
const FORGET_MS = 3_600_000;
const WARN_SHARE = 0.8;
const PARTS = 1e9;

/** Returns the cost in parts, rounded up. */
export const toParts = (cost: number): number => Math.ceil(Math.round(cost * PARTS * 1e3) / 1e3);
export const fromParts = (parts: number): number => parts / PARTS;

const WINDOWS = ['day', 'month'] as const;
export type BudgetWindow = (typeof WINDOWS)[number];

const parts = z.number().int().min(0);
const windowSchema = z.object({
  at: z.string().describe('the beginning of an ISO date'),
  spent: parts,
  warned: z.literal(true).optional().describe('an event has reported that most of the budget is spent'),
});
const holderSchema = z.object({
  held: parts.describe('reserved for its calls in progress'),
  until: z.number().describe('end of its lease, ms since 1970'),
  write: parts.describe('number of its last write'),
  lapsed: z
    .object({ amount: parts, at: z.number() })
    .optional()
    .describe('counted as spent, because its lease ended with calls in progress'),
});
export const ledgerSchema = z.object({
  v: storedVersionSchema,
  day: windowSchema,
  month: windowSchema,
  holders: z.record(z.string(), holderSchema).describe('by orchestrator'),
});
export type Ledger = z.infer<typeof ledgerSchema>;
type Holder = z.infer<typeof holderSchema>;

/** `settle` with `reserved` 0 adds a cost without a reservation. `renew` extends the lease. */
export type LedgerOp =
  | { kind: 'reserve'; amount: number; limits: MoneyLimits }
  | { kind: 'settle'; reserved: number; cost: number }
  | { kind: 'renew' };

/** A window without room. `isHeld`: calls in progress hold the room, and may return it. */
export type Shortage = { window: BudgetWindow; spent: number; held: number; limit: number; isHeld: boolean };
/** `warned`: the windows of which this call is the first after most of the budget was spent. */
export type OpResult = { ok: true; warned: BudgetWindow[] } | { short: Shortage };

function createLedger(now: number): Ledger {
  return {
    day: { at: nameWindow('day', now), spent: 0 },
    month: { at: nameWindow('month', now), spent: 0 },
    holders: {},
  };
}

const nameWindow = (window: BudgetWindow, at: number): string =>
  new Date(at).toISOString().slice(0, window === 'day' ? 10 : 7);

/** Returns the time at which the window ends, ms since 1970. */
export function findReset(window: BudgetWindow, now: number): number {
  const date = new Date(now);
  return window === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export const countHeld = ({ holders }: Ledger): number =>
  Object.values(holders).reduce((sum, { held }) => add(sum, held), 0);

/**
 * Applies the operations of one orchestrator in order.
 * @param ledger absent: the account is new. @param holder the orchestrator. @param write number of the write
 */
export function applyOps(
  ledger: Ledger | undefined,
  { holder, write, now }: { holder: string; write: number; now: number },
  ops: readonly LedgerOp[],
): { ledger: Ledger; results: OpResult[] } {
  let next = restoreLapsed(renewWindows(ledger ?? createLedger(now), now), holder);
  const results = ops.map((op): OpResult => {
    const short = op.kind === 'reserve' ? findShortage(next, op) : undefined;
    if (short) return { short };
    const warned = op.kind === 'reserve' ? findWarned(next, op.limits) : [];
    next = markWarned(applyOp(next, holder, op), warned);
    return { ok: true, warned };
  });
  const own = { ...readHolder(next, holder), until: now + LEASE_MS, write };
  return { ledger: { ...next, holders: { ...next.holders, [holder]: own } }, results };
}

/** Begins new windows, and counts the reservations of lost orchestrators as spent: a provider may bill their calls. */
export function renewWindows(ledger: Ledger, now: number): Ledger {
  const begin = (window: BudgetWindow) =>
    ledger[window].at >= nameWindow(window, now) ? ledger[window] : { at: nameWindow(window, now), spent: 0 };
  let next: Ledger = { ...ledger, day: begin('day'), month: begin('month') };
  for (const [name, holder] of Object.entries(ledger.holders)) {
    if (holder.until >= now) continue;
    const { [name]: _, ...others } = next.holders;
    const isForgotten = holder.until + FORGET_MS < now;
    const lapsed = holder.held > 0 ? { amount: holder.held, at: now } : holder.lapsed;
    const left = { ...holder, held: 0, ...(lapsed && { lapsed }) };
    next = addSpent({ ...next, holders: isForgotten ? others : { ...others, [name]: left } }, holder.held);
  }
  return next;
}

/** An orchestrator that writes again was not lost: its calls are still in progress. */
function restoreLapsed(ledger: Ledger, holder: string): Ledger {
  const { lapsed, ...own } = readHolder(ledger, holder);
  if (!lapsed) return ledger;
  const { amount, at } = lapsed;
  const restore = (window: BudgetWindow) => {
    const { spent, ...rest } = ledger[window];
    const isSame = rest.at === nameWindow(window, at);
    return { ...rest, spent: isSame ? Math.max(0, spent - amount) : spent };
  };
  const holders = { ...ledger.holders, [holder]: { ...own, held: add(own.held, amount) } };
  return { ...ledger, day: restore('day'), month: restore('month'), holders };
}

function applyOp(ledger: Ledger, holder: string, op: LedgerOp): Ledger {
  if (op.kind === 'renew') return ledger;
  const own = readHolder(ledger, holder);
  const held = op.kind === 'reserve' ? add(own.held, op.amount) : Math.max(0, own.held - op.reserved);
  const changed = { ...ledger, holders: { ...ledger.holders, [holder]: { ...own, held } } };
  return op.kind === 'reserve' ? changed : addSpent(changed, op.cost);
}

const readHolder = ({ holders }: Ledger, name: string): Holder => holders[name] ?? { held: 0, until: 0, write: 0 };

function addSpent(ledger: Ledger, amount: number): Ledger {
  if (amount === 0) return ledger;
  const { day, month } = ledger;
  return {
    ...ledger,
    day: { ...day, spent: add(day.spent, amount) },
    month: { ...month, spent: add(month.spent, amount) },
  };
}

const add = (sum: number, more: number): number => Math.min(sum + more, Number.MAX_SAFE_INTEGER);

/** Returns the window that has no room for the amount; one that is spent precedes one with held room. */
function findShortage(
  ledger: Ledger,
  { amount, limits }: Extract<LedgerOp, { kind: 'reserve' }>,
): Shortage | undefined {
  const held = countHeld(ledger);
  const shortages = listLimited(limits).flatMap(({ window, limit }): Shortage[] => {
    const { spent } = ledger[window];
    if (spent + held + amount <= limit) return [];
    return [{ window, spent, held, limit, isHeld: spent + amount <= limit }];
  });
  return shortages.toReversed().find(({ isHeld }) => !isHeld) ?? shortages[0];
}

/** Returns the window with a spent budget. */
export function findSpent(ledger: Ledger, limits: MoneyLimits): Shortage | undefined {
  const held = countHeld(ledger);
  return listLimited(limits)
    .map(({ window, limit }) => ({ window, spent: ledger[window].spent, held, limit, isHeld: false }))
    .findLast(({ spent, limit }) => spent >= limit);
}

const listLimited = (limits: MoneyLimits) =>
  WINDOWS.flatMap((window) => {
    const limit = limits[window];
    return limit === undefined ? [] : [{ window, limit: toParts(limit) }];
  });

const findWarned = (ledger: Ledger, limits: MoneyLimits): BudgetWindow[] =>
  listLimited(limits).flatMap(({ window, limit }) =>
    !ledger[window].warned && ledger[window].spent >= limit * WARN_SHARE ? [window] : [],
  );

const markWarned = (ledger: Ledger, warned: readonly BudgetWindow[]): Ledger =>
  warned.reduce((next, window) => ({ ...next, [window]: { ...next[window], warned: true as const } }), ledger);
