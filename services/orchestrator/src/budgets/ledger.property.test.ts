import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyOps,
  countHeld,
  findReset,
  LEASE_MS,
  ledgerSchema,
  renewWindows,
  toParts,
  type Ledger,
  type LedgerOp,
} from './ledger.ts';

const T0 = Date.UTC(2026, 10, 30, 12);
const LIMIT = 1;
const limits = { day: LIMIT };
const reserve = (cost: number): LedgerOp => ({ kind: 'reserve', amount: toParts(cost), limits });
const settle = (reserved: number, cost: number): LedgerOp => ({
  kind: 'settle',
  reserved: toParts(reserved),
  cost: toParts(cost),
});
const by = (holder: string, now = T0) => ({ holder, write: 1, now });

test('A reservation without room is refused: for now if calls in progress hold the room, else until the window ends', () => {
  const { ledger, results } = applyOps(undefined, by('a'), [
    reserve(0.6),
    reserve(0.6),
    settle(0.6, 0.5),
    reserve(0.6),
  ]);
  expect(results).toMatchObject([
    { ok: true },
    { short: { window: 'day', isHeld: true } },
    { ok: true },
    { short: { window: 'day', isHeld: false, spent: toParts(0.5) } },
  ]);
  expect(ledger.day.spent).toBe(toParts(0.5));
  expect(countHeld(ledger)).toBe(0);
});

test('A new day begins with nothing spent, and keeps the sum of the month', () => {
  const { ledger } = applyOps(undefined, by('a'), [settle(0, 0.9)]);
  const at = findReset('day', T0) - 1;
  expect(renewWindows(ledger, at).day.spent).toBe(toParts(0.9));
  // The day after is another month.
  expect(renewWindows(ledger, at + 1)).toMatchObject({ day: { spent: 0 }, month: { spent: 0, at: '2026-12' } });
  const early = applyOps(undefined, by('a', T0 - 86_400_000), [settle(0, 0.9)]).ledger;
  expect(renewWindows(early, T0)).toMatchObject({ day: { spent: 0 }, month: { spent: toParts(0.9) } });
});

test('Reservations of a lost orchestrator count as spent, and return to one that writes again', () => {
  const { ledger } = applyOps(undefined, by('a'), [reserve(0.5)]);
  const later = T0 + LEASE_MS + 1;
  const other = applyOps(ledger, by('b', later), [reserve(0.5)]).ledger;
  expect(other.day.spent).toBe(toParts(0.5));
  expect(countHeld(other)).toBe(toParts(0.5));
  const back = applyOps(other, by('a', later), [settle(0.5, 0.2)]).ledger;
  expect(back.day.spent).toBe(toParts(0.2));
  expect(countHeld(back)).toBe(toParts(0.5));
});

test('The first call after most of a budget is spent is marked, once for each window', () => {
  const { results } = applyOps(undefined, by('a'), [reserve(0.1), settle(0.1, 0.85), reserve(0.01), reserve(0.01)]);
  expect(results).toEqual([
    { ok: true, warned: [] },
    { ok: true, warned: [] },
    { ok: true, warned: ['day'] },
    { ok: true, warned: [] },
  ]);
});

const anyStep = fc.record({
  holder: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('call', 'end', 'skip'),
  amount: fc.integer({ min: 0, max: 300 }),
  share: fc.integer({ min: 0, max: 100 }),
});

test('While no call costs more than its reservation, spent and held never exceed the limit within a day, also if orchestrators are lost', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
      let ledger: Ledger | undefined;
      let now = T0;
      const open = new Map<string, number[]>();
      const apply = (holder: string, op: LedgerOp) => {
        const applied = applyOps(ledger, by(holder, now), [op]);
        ({ ledger } = applied);
        expect(ledgerSchema.parse(JSON.parse(JSON.stringify(ledger)))).toEqual(ledger);
        return applied.results[0];
      };
      for (const { holder, kind, amount, share } of steps) {
        const calls = open.get(holder) ?? [];
        open.set(holder, calls);
        if (kind === 'skip') now += share * 1_000;
        if (kind === 'call') {
          const result = apply(holder, { kind: 'reserve', amount, limits: { day: 1e-6 } });
          if (result && 'ok' in result) calls.push(amount);
        }
        if (kind === 'end') {
          const reserved = calls.pop();
          if (reserved !== undefined)
            apply(holder, { kind: 'settle', reserved, cost: Math.floor((reserved * share) / 100) });
        }
        if (!ledger) continue;
        const total = renewWindows(ledger, now);
        expect(total.day.spent + countHeld(total)).toBeLessThanOrEqual(1_000);
        const inProgress = [...open.values()].flat().reduce((sum, one) => sum + one, 0);
        expect(total.day.spent + countHeld(total)).toBeGreaterThanOrEqual(inProgress);
      }
    }),
  );
});
