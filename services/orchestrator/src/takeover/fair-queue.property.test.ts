// In any order of arrivals and ends the limits hold, no place is free that a waiting command may take, and tenants take turns.
import type { RunParty } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countRuns,
  countWaiting,
  createFairQueue,
  hasPlace,
  reduceQueue,
  type FairQueue,
  type WaitingCommand,
} from './fair-queue.ts';

const parties = ['a', 'b', 'c', 'd'].flatMap((tenant) => ['x', 'y', 'z'].map((caller) => ({ tenant, caller })));
const tenants = [...new Set(parties.map(({ tenant }) => tenant))];
type Deed = { arrive: RunParty } | { end: number } | { take: number };
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...parties).map((arrive) => ({ arrive })) },
    { weight: 3, arbitrary: fc.nat(30).map((end) => ({ end })) },
    { weight: 1, arbitrary: fc.nat(30).map((take) => ({ take })) },
  ),
  { maxLength: 60 },
);
const places = fc.record({
  maxRuns: fc.integer({ min: 1, max: 6 }),
  reserved: fc.integer({ min: 0, max: 2 }),
  maxRunsPerTenant: fc.integer({ min: 1, max: 6 }),
});

/** Plays the deeds; `check` sees the queue and the runs in progress after each of them. */
function play(
  start: FairQueue,
  script: readonly Deed[],
  check: (queue: FairQueue, running: WaitingCommand[]) => void,
): void {
  let queue = start;
  const running: WaitingCommand[] = [];
  for (const [id, deed] of script.entries()) {
    const waiting = [...queue.waiting.values()].flatMap((callers) => [...callers.values()].flat());
    const ended = 'end' in deed ? running[deed.end % Math.max(running.length, 1)] : undefined;
    const returned = 'take' in deed ? waiting[deed.take % Math.max(waiting.length, 1)] : undefined;
    if ('arrive' in deed) {
      const reduced = reduceQueue(queue, { action: 'arrived', command: { id, ...deed.arrive, queue: 'q' } });
      queue = reduced.queue;
      running.push(...reduced.begun);
    } else if (ended) {
      running.splice(running.indexOf(ended), 1);
      const reduced = reduceQueue(queue, { action: 'ended', party: ended });
      queue = reduced.queue;
      running.push(...reduced.begun);
    } else if (returned) queue = reduceQueue(queue, { action: 'returned', command: returned }).queue;
    check(queue, running);
  }
}
const countOwn = (running: readonly WaitingCommand[], party: Partial<RunParty>) =>
  running.filter((one) => one.tenant === party.tenant && (party.caller ?? one.caller) === one.caller).length;

test('no tenant has more runs than it may, and all together not more than there are places', () => {
  fc.assert(
    fc.property(places, deeds, (limits, script) => {
      play(createFairQueue(limits), script, (queue, running) => {
        expect(queue.total).toBe(running.length);
        expect(running.length).toBeLessThanOrEqual(limits.maxRuns + 2 * limits.reserved);
        for (const tenant of tenants) {
          const own = countOwn(running, { tenant });
          expect(countRuns(queue, tenant)).toBe(own);
          expect(own).toBeLessThanOrEqual(limits.maxRunsPerTenant + limits.reserved);
        }
      });
    }),
  );
});

test('a command waits only while its party may begin no run', () => {
  fc.assert(
    fc.property(places, deeds, (limits, script) => {
      play(createFairQueue(limits), script, (queue, running) => {
        for (const { tenant, caller } of [...queue.waiting.values()].flatMap((of) => [...of.values()].flat())) {
          const own = countOwn(running, { tenant });
          const further = countOwn(running, { tenant, caller }) > 0 ? 0 : limits.reserved;
          const isFull = running.length >= limits.maxRuns + (own === 0 ? 2 * limits.reserved : further);
          expect((own > 0 && own >= limits.maxRunsPerTenant + further) || isFull).toBe(true);
        }
      });
    }),
  );
});

test('no command is lost, and none begins twice', () => {
  fc.assert(
    fc.property(places, fc.array(fc.constantFrom(...parties), { maxLength: 40 }), (limits, arrivals) => {
      const script: Deed[] = [...arrivals.map((arrive) => ({ arrive })), ...arrivals.map(() => ({ end: 0 }))];
      const begun = new Set<number>();
      let left = createFairQueue(limits);
      play(left, script, (queue, running) => {
        for (const { id } of running) begun.add(id);
        left = queue;
      });
      expect(begun.size).toBe(arrivals.length);
      expect([left.total, left.waiting.size]).toEqual([0, 0]);
    }),
  );
});

describe('places that become free', () => {
  const caller = 'ada';
  const arrive = (queue: FairQueue, tenant: string, id: number, by = caller) =>
    reduceQueue(queue, { action: 'arrived', command: { id, tenant, caller: by, queue: `q-${tenant}` } });
  /** `count` commands of each tenant, from `from` on. */
  const fill = (start: FairQueue, tenant: string, ids: readonly number[]) =>
    ids.reduce((queue, id) => arrive(queue, tenant, id).queue, start);

  test('are given to the waiting tenants in turns', () => {
    let queue = fill(createFairQueue({ maxRuns: 2, reserved: 0, maxRunsPerTenant: 2 }), 'noisy', [0, 1, 2, 3, 4]);
    queue = fill(queue, 'other', [10, 11]);
    const order: number[] = [];
    for (const tenant of ['noisy', 'noisy', 'noisy', 'other']) {
      const reduced = reduceQueue(queue, { action: 'ended', party: { tenant, caller } });
      queue = reduced.queue;
      order.push(...reduced.begun.map(({ id }) => id));
    }
    expect(order).toEqual([2, 10, 3, 11]);
  });

  test('are reserved for tenants without a run: a tenant that fills all others cannot take them', () => {
    const full = fill(createFairQueue({ maxRuns: 4, reserved: 1, maxRunsPerTenant: 4 }), 'noisy', [0, 1, 2, 3, 4, 5]);
    expect([full.total, countWaiting(full, 'q-noisy'), hasPlace(full)]).toEqual([4, 2, true]);
    const { queue, begun } = arrive(full, 'quiet', 10);
    expect(begun.map(({ id }) => id)).toEqual([10]);
    const third = arrive(queue, 'third', 11);
    expect(third.begun.map(({ id }) => id)).toEqual([11]);
    expect(hasPlace(third.queue)).toBe(false);
    // No tenant takes its place: the reserve is free again first.
    expect(reduceQueue(third.queue, { action: 'ended', party: { tenant: 'noisy', caller } }).begun).toEqual([]);
  });

  test('are reserved for callers without a run: a caller that fills the places of its tenant cannot take them', () => {
    const full = fill(createFairQueue({ maxRuns: 4, reserved: 1, maxRunsPerTenant: 4 }), 'acme', [0, 1, 2, 3, 4, 5]);
    const { queue, begun } = arrive(full, 'acme', 10, 'bob');
    expect(begun.map(({ id }) => id)).toEqual([10]);
    // The other reserve is for other tenants.
    expect(arrive(queue, 'acme', 11, 'cyd').begun).toEqual([]);
    expect(arrive(queue, 'quiet', 12).begun.map(({ id }) => id)).toEqual([12]);
  });

  test('are given to the waiting callers of a tenant in turns', () => {
    let queue = fill(createFairQueue({ maxRuns: 2, reserved: 0, maxRunsPerTenant: 2 }), 'acme', [0, 1, 2, 3, 4]);
    for (const id of [10, 11]) ({ queue } = arrive(queue, 'acme', id, 'bob'));
    const order: number[] = [];
    for (const by of [caller, caller, caller, 'bob']) {
      const reduced = reduceQueue(queue, { action: 'ended', party: { tenant: 'acme', caller: by } });
      queue = reduced.queue;
      order.push(...reduced.begun.map(({ id }) => id));
    }
    expect(order).toEqual([2, 10, 3, 11]);
  });
});
