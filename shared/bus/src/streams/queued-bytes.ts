// Estimates the bytes of the commands of a tenant, or of one of its callers, in the queue. The server counts commands by subject, not their bytes; this process knows the
// size of those that it has published. A queue holds its newest commands, so that of a tenant with 7 in the queue at most the last 7 that were
// published here are still there.

/** A command that was published so recently is in the queue, though a count that was read since does not have it yet, ms. */
const COUNTED_AFTER_MS = 2_000;

export type QueuedBytes = {
  add(owner: string, bytes: number): void;
  /** @param countCommands of the owner in the queue, or an upper bound */
  read(countCommands: (owner: string) => number): void;
  /** An upper bound for the bytes of commands that this process has published and no owner has acknowledged. */
  sum(owner: string): number;
  /** The number of these commands. */
  count(owner: string): number;
};

type PublishedBytes = { bytes: number; at: number };

export function createQueuedBytes(now: () => number = () => performance.now()): QueuedBytes {
  const byOwner = new Map<string, { commands: PublishedBytes[]; sum: number }>();
  return {
    add(owner, bytes) {
      const own = byOwner.get(owner) ?? { commands: [], sum: 0 };
      own.commands.push({ bytes, at: now() });
      own.sum += bytes;
      byOwner.set(owner, own);
    },
    read(countCommands) {
      const recent = now() - COUNTED_AFTER_MS;
      for (const [owner, own] of byOwner) {
        const firstRecent = own.commands.findIndex(({ at }) => at > recent);
        const old = firstRecent < 0 ? own.commands.length : firstRecent;
        const left = own.commands.slice(Math.min(old, Math.max(own.commands.length - countCommands(owner), 0)));
        if (left.length === 0) byOwner.delete(owner);
        else byOwner.set(owner, { commands: left, sum: left.reduce((sum, { bytes }) => sum + bytes, 0) });
      }
    },
    sum: (owner) => byOwner.get(owner)?.sum ?? 0,
    count: (owner) => byOwner.get(owner)?.commands.length ?? 0,
  };
}
