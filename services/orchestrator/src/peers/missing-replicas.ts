// Replicas that were there and did not answer the last question of discovery. One that has left the bus is forgotten; one that has not is
// stopped, or its connection is: it is no longer advertised, and still takes its share of requests until the server finds out.
import type { Advertised } from '@millrace/contracts';

/** The server cuts off a client that answers no pings; nobody is missed for longer. ms */
const MISSED_MS = 60_000;

export type MissingReplicas = {
  /** Resolves when the server has been asked who of the missing has left. */
  update(before: Advertised, now: Advertised): Promise<void>;
  of(processor: string): readonly string[];
};

type Missing = { service: string; processors: Set<string>; since: number };

/** @param hasLeft whether the replica (`service.replica`) is gone from the bus */
export function createMissingReplicas(hasLeft: (serviceAndReplica: string) => Promise<boolean>): MissingReplicas {
  const missing = new Map<string, Missing>();
  const isThere = (replica: string, now: Advertised) =>
    [...now.processors.values()].some(({ replicas }) => replicas.includes(replica));
  return {
    async update(before, now) {
      const at = performance.now();
      for (const [id, { service, replicas }] of before.processors)
        for (const replica of replicas) {
          if (isThere(replica, now)) continue;
          const known = missing.get(replica) ?? { service, processors: new Set(), since: at };
          known.processors.add(id);
          missing.set(replica, known);
        }
      const asked = [...missing].map(async ([replica, { service, since }]) => {
        const isOver = isThere(replica, now) || at - since > MISSED_MS;
        if (isOver || (await hasLeft(`${service}.${replica}`))) missing.delete(replica);
      });
      await Promise.all(asked);
    },
    of: (processor) =>
      [...missing].flatMap(([replica, { processors }]) => (processors.has(processor) ? [replica] : [])),
  };
}
