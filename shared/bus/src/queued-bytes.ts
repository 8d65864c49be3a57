// Estimates the bytes of a tenant's commands in the queue. The server counts commands by subject, not their bytes; this process knows the
// size of those that it has published. A queue holds its newest commands, so that of a tenant with 7 in the queue at most the last 7 that were
// published here are still there.

/** A command that was published so recently is in the queue, though a count that was read since does not have it yet, ms. */
const COUNTED_AFTER_MS = 2_000;

export type QueuedBytes = {
  add(tenant: string, bytes: number): void;
  /** @param counts commands in the queue, by tenant */
  read(counts: ReadonlyMap<string, number>): void;
  /** An upper bound for the commands that this process has published and no owner has acknowledged. */
  sum(tenant: string): number;
};

type PublishedBytes = { bytes: number; at: number };

export function createQueuedBytes(now: () => number = () => performance.now()): QueuedBytes {
  const byTenant = new Map<string, { commands: PublishedBytes[]; sum: number }>();
  return {
    add(tenant, bytes) {
      const own = byTenant.get(tenant) ?? { commands: [], sum: 0 };
      own.commands.push({ bytes, at: now() });
      own.sum += bytes;
      byTenant.set(tenant, own);
    },
    read(counts) {
      const recent = now() - COUNTED_AFTER_MS;
      for (const [tenant, own] of byTenant) {
        const firstRecent = own.commands.findIndex(({ at }) => at > recent);
        const old = firstRecent < 0 ? own.commands.length : firstRecent;
        const left = own.commands.slice(Math.min(old, Math.max(own.commands.length - (counts.get(tenant) ?? 0), 0)));
        if (left.length === 0) byTenant.delete(tenant);
        else byTenant.set(tenant, { commands: left, sum: left.reduce((sum, { bytes }) => sum + bytes, 0) });
      }
    },
    sum: (tenant) => byTenant.get(tenant)?.sum ?? 0,
  };
}
