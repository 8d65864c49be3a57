// Chooses the shard of the command queue for the next command of a tenant's caller. A shard is delivered in order, so a command behind the
// backlog of another party waits for all of that backlog: a caller gets another shard if others congest its home shard.
import { RUN_SHARDS, computeHomeShard, parseShardSubject, type RunParty } from '@millrace/contracts';

/** Commands in the queue, waiting and in flight, by shard: in total and of each tenant. */
export type ShardLoads = readonly { total: number; tenants: Map<string, number> }[];

/** A home shard is kept while others have at most this many commands more in it than in the least loaded shard. */
export const CONGESTED_AT = 32;

/** @param subjects messages by subject, as the stream's info counts them; other subjects than those of sharded commands are ignored */
export function readLoads(prefix: string, subjects: Readonly<Record<string, number>>): ShardLoads {
  const loads = Array.from({ length: RUN_SHARDS }, () => ({ total: 0, tenants: new Map<string, number>() }));
  for (const [subject, count] of Object.entries(subjects)) {
    const { shard, tenant } = parseShardSubject(prefix, subject) ?? {};
    const load = shard === undefined ? undefined : loads[shard];
    if (!load || tenant === undefined) continue;
    load.total += count;
    load.tenants.set(tenant, count);
  }
  return loads;
}

/** Counts a command that is published after the counts were read. Changes `loads`: a copy of all tenants for each command costs too much. */
export function addCommand(loads: ShardLoads, shard: number, tenant: string): void {
  const load = loads[shard];
  if (!load) return;
  load.total += 1;
  load.tenants.set(tenant, (load.tenants.get(tenant) ?? 0) + 1);
}

/** Commands in all shards. */
export function countByTenant(loads: ShardLoads): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tenants } of loads) {
    for (const [tenant, count] of tenants) counts.set(tenant, (counts.get(tenant) ?? 0) + count);
  }
  return counts;
}

/** A caller with fewer commands here avoids the backlogs of its tenant: it has not made them. */
const FEW_COMMANDS = 4;

/**
 * Callers have home shards of their own. The counts do not separate the callers of a tenant, so that a caller with many commands stays in
 * its shard, whatever its tenant has there.
 * @param published the caller's commands in the queue that this process knows
 */
export function chooseShard(loads: ShardLoads, party: RunParty, published: number): number {
  const home = computeHomeShard(party);
  const countOwn = (tenants: ReadonlyMap<string, number>) => tenants.get(party.tenant) ?? 0;
  const others = loads.map(({ total, tenants }) =>
    published < FEW_COMMANDS ? total - Math.min(countOwn(tenants), published) : total - countOwn(tenants),
  );
  const least = Math.min(...others);
  return (others[home] ?? 0) <= least + CONGESTED_AT ? home : others.indexOf(least);
}
