// The budgets of money: each call of a model reserves its maximum cost in all accounts of its run, and settles its cost. An account
// is shared by all orchestrators. docs/limits.md
import { MillraceError, type Prices } from '@millrace/contracts';
import type { BusLog, JetStreamAccess } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { raceAbort } from '../streams/unless-stopped.ts';
import { createAccounts } from './accounts.ts';
import { listBudgets, type BudgetOf, type BudgetRules, type BudgetScope, type Spender } from './budget-rules.ts';
import { findReset, findSpent, fromParts, renewWindows, toParts, type BudgetWindow, type Shortage } from './ledger.ts';

/** A call waits this long for room that other calls hold, ms. */
const ROOM_WAIT_MS = 10_000;
const POLL_MS = 200;
/** Time after which calls in progress may have returned room, ms. */
const HELD_RETRY_MS = 5_000;
/** Most of a budget is spent. */
type BudgetNotice = { scope: BudgetScope; window: BudgetWindow };
/** `settle` takes the cost of the call; without one the reservation counts. */
type Reservation = { notices: BudgetNotice[]; settle(cost: number | undefined): void };

export type Budgets = {
  /** Of the file of budgets: they replace those of agents. */
  prices: Prices;
  isLimited(spender: Spender): boolean;
  /** @throws budget-exceeded; store-unavailable, bus-unreachable */
  refuseSpent(spender: Spender): Promise<void>;
  /**
   * Waits while calls in progress hold the room, and while NATS is away.
   * @param cost maximum cost of the call
   * @returns undefined if the signal fired
   * @throws budget-exceeded, budget-reserved
   */
  reserve(spender: Spender, cost: number, signal: AbortSignal): Promise<Reservation | undefined>;
  /** Adds the cost of a call that no reservation precedes. */
  charge(spender: Spender, cost: number): void;
  stop(): Promise<void>;
};

type BudgetParts = { access: JetStreamAccess; rules: BudgetRules; log: Pick<BusLog, 'warn'>; roomWaitMs?: number };

export function openBudgets({ access, rules, log, roomWaitMs = ROOM_WAIT_MS }: BudgetParts): Budgets {
  const accounts = createAccounts(access, log);
  const { now } = access.clock;
  const refuse = ({ scope, key }: BudgetOf, short: Shortage): MillraceError => {
    const { window, spent, held, limit, isHeld } = short;
    const amounts = { spent: fromParts(spent), reserved: fromParts(held), limit: fromParts(limit) };
    log.warn({ account: key, window, ...amounts }, 'a budget has no room for a call of a model');
    return isHeld ? createReservedError(scope, window) : createExceededError(scope, window, now());
  };

  /** Reserves in all accounts or in none. */
  async function tryReserve({ tenant, agent }: Spender, of: readonly BudgetOf[], amount: number) {
    const results = await Promise.all(
      of.map(async (budget) => ({
        budget,
        result: await accounts.open(budget.key).apply({ kind: 'reserve', amount, limits: budget.limits }),
      })),
    );
    const refused = results.flatMap(({ budget, result }) => ('short' in result ? { budget, ...result } : []));
    const [first] = refused;
    const notices = results.flatMap(({ budget: { scope }, result }) =>
      'ok' in result ? result.warned.map((window) => ({ scope, window })) : [],
    );
    for (const { scope, window } of notices) log.warn({ tenant, agent, scope, window }, 'most of a budget is spent');
    if (!first) return { notices };
    const taken = results.flatMap(({ budget, result }) => ('ok' in result ? [budget.key] : []));
    accounts.settle(taken, amount, 0);
    return refused.find(({ short }) => !short.isHeld) ?? first;
  }

  return {
    prices: rules.prices,
    isLimited: (spender) => listBudgets(rules, spender).length > 0,
    async refuseSpent(spender) {
      for (const budget of listBudgets(rules, spender)) {
        const ledger = await accounts.open(budget.key).readRecent();
        const short = ledger && findSpent(renewWindows(ledger, now()), budget.limits);
        if (short) throw refuse(budget, short);
      }
    },
    async reserve(spender, cost, signal) {
      const of = listBudgets(rules, spender);
      const keys = of.map(({ key }) => key);
      const amount = toParts(cost);
      const until = performance.now() + roomWaitMs;
      for (;;) {
        const trying = tryReserve(spender, of, amount);
        const tried = await raceAbort(trying, signal);
        if (!tried) {
          void trying.then((late) => 'notices' in late && accounts.settle(keys, amount, 0));
          return undefined;
        }
        if ('notices' in tried) {
          let isSettled = false;
          return {
            notices: tried.notices,
            settle(actual) {
              if (isSettled) return;
              isSettled = true;
              accounts.settle(keys, amount, actual === undefined ? amount : toParts(actual));
            },
          };
        }
        const { budget, short } = tried;
        if (!short.isHeld || performance.now() > until) throw refuse(budget, short);
        await delay(POLL_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return undefined;
      }
    },
    charge(spender, cost) {
      const keys = listBudgets(rules, spender).map(({ key }) => key);
      accounts.settle(keys, 0, toParts(cost));
    },
    stop: accounts.stop,
  };
}

const OWNERS: Readonly<Record<BudgetScope, string>> = {
  tenant: 'the tenant',
  agent: 'the agent',
  subject: 'the caller',
  key: 'the key',
};

function createExceededError(scope: BudgetScope, window: BudgetWindow, now: number): MillraceError {
  const reset = findReset(window, now);
  return new MillraceError('budget-exceeded', `The budget of ${OWNERS[scope]} for the ${window} is spent.`, {
    remedy: `Submit again after ${new Date(reset).toISOString()}, or raise the budget.`,
    retryAfterMs: Math.max(0, reset - now),
  });
}

const createReservedError = (scope: BudgetScope, window: BudgetWindow): MillraceError =>
  new MillraceError(
    'budget-reserved',
    `Calls in progress have reserved the rest of the budget of ${OWNERS[scope]} for the ${window}.`,
    {
      remedy: 'Submit again when some of them have ended, set a smaller maxOutputTokens, or raise the budget.',
      retryAfterMs: HELD_RETRY_MS,
    },
  );
