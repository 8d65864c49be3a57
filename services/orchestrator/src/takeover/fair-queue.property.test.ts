// In any order of arrivals and ends the limits hold, no place is free that a waiting command may take, and tenants take turns.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countWaiting,
  createFairQueue,
  hasPlace,
  reduceQueue,
  type FairQueue,
  type WaitingCommand,
} from './fair-queue.ts';

const tenants = ['a', 'b', 'c', 'd'] as const;
type Deed = { arrive: string } | { end: number } | { take: number };
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...tenants).map((arrive) => ({ arrive })) },
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
    const waiting = [...queue.waiting.values()].flat();
    const ended = 'end' in deed ? running[deed.end % Math.max(running.length, 1)] : undefined;
    const returned = 'take' in deed ? waiting[deed.take % Math.max(waiting.length, 1)] : undefined;
    if ('arrive' in deed) {
      const reduced = reduceQueue(queue, { action: 'arrived', command: { id, tenant: deed.arrive, queue: 'q' } });
      queue = reduced.queue;
      running.push(...reduced.begun);
    } else if (ended) {
      running.splice(running.indexOf(ended), 1);
      const reduced = reduceQueue(queue, { action: 'ended', tenant: ended.tenant });
      queue = reduced.queue;
      running.push(...reduced.begun);
    } else if (returned) queue = reduceQueue(queue, { action: 'returned', command: returned }).queue;
    check(queue, running);
  }
}
const ofTenant = (running: readonly WaitingCommand[], tenant: string) =>
  running.filter((one) => one.tenant === tenant).length;

test('no tenant has more runs than it may, and all together not more than there are places', () => {
  fc.assert(
    fc.property(places, deeds, (limits, script) => {
      play(createFairQueue(limits), script, (queue, running) => {
        expect(queue.total).toBe(running.length);
        expect(running.length).toBeLessThanOrEqual(limits.maxRuns + limits.reserved);
        for (const tenant of tenants) {
          const own = ofTenant(running, tenant);
          expect(queue.running.get(tenant) ?? 0).toBe(own);
          expect(own).toBeLessThanOrEqual(Math.min(limits.maxRunsPerTenant, limits.maxRuns + limits.reserved));
        }
      });
    }),
  );
});

test('a command waits only while its tenant may begin no run', () => {
  fc.assert(
    fc.property(places, deeds, (limits, script) => {
      play(createFairQueue(limits), script, (queue, running) => {
        for (const tenant of queue.waiting.keys()) {
          const own = ofTenant(running, tenant);
          const isFull = running.length >= limits.maxRuns + (own === 0 ? limits.reserved : 0);
          expect(own >= limits.maxRunsPerTenant || isFull).toBe(true);
        }
      });
    }),
  );
});

test('no command is lost, and none begins twice', () => {
  fc.assert(
    fc.property(places, fc.array(fc.constantFrom(...tenants), { maxLength: 40 }), (limits, arrivals) => {
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
  const arrive = (queue: FairQueue, tenant: string, id: number) =>
    reduceQueue(queue, { action: 'arrived', command: { id, tenant, queue: `q-${tenant}` } });
  /** `count` commands of each tenant, from `from` on. */
  const fill = (start: FairQueue, tenant: string, ids: readonly number[]) =>
    ids.reduce((queue, id) => arrive(queue, tenant, id).queue, start);

  test('are given to the waiting tenants in turns', () => {
    let queue = fill(createFairQueue({ maxRuns: 2, reserved: 0, maxRunsPerTenant: 2 }), 'noisy', [0, 1, 2, 3, 4]);
    queue = fill(queue, 'other', [10, 11]);
    const order: number[] = [];
    for (const tenant of ['noisy', 'noisy', 'noisy', 'other']) {
      const reduced = reduceQueue(queue, { action: 'ended', tenant });
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
    expect(hasPlace(queue)).toBe(false);
    // No tenant takes its place: the reserve is free again first.
    expect(reduceQueue(queue, { action: 'ended', tenant: 'noisy' }).begun).toEqual([]);
  });
});
