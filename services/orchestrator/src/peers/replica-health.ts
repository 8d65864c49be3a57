// Tracks replicas that did not answer the last discovery. One that has left the bus is forgotten. One that has not is
// stopped, or its connection is: it is no longer advertised, but still receives its share of requests until the server
// detects it.
import { type AdvertisedServices, timings } from '@millrace/contracts';

/** The server disconnects a client that answers no pings: no replica is missing for longer. ms */
const MISSED_MS = 60_000;

export type MissingReplicas = {
  /** Resolves when the server has reported which missing replicas have left. */
  update(before: AdvertisedServices, now: AdvertisedServices): Promise<void>;
  /** @param served a key of `Advertised.served` */
  listMissing(served: string): readonly string[];
};

type Missing = { service: string; served: Set<string>; since: number };

const readService = (key: string): string => key.slice(0, key.indexOf(' '));

/** @param hasLeft returns whether the replica (`service.replica`) has left the bus */
export function createMissingReplicas(hasLeft: (serviceAndReplica: string) => Promise<boolean>): MissingReplicas {
  const missing = new Map<string, Missing>();
  const isThere = (replica: string, now: AdvertisedServices) =>
    [...now.served.values()].some((replicas) => replicas.includes(replica));
  return {
    async update(before, now) {
      const at = performance.now();
      for (const [key, replicas] of before.served)
        for (const replica of replicas) {
          if (isThere(replica, now)) continue;
          const known = missing.get(replica) ?? { service: readService(key), served: new Set(), since: at };
          known.served.add(key);
          missing.set(replica, known);
        }
      const asked = [...missing].map(async ([replica, { service, since }]) => {
        const isOver = isThere(replica, now) || at - since > MISSED_MS;
        if (isOver || (await hasLeft(`${service}.${replica}`))) missing.delete(replica);
      });
      await Promise.all(asked);
    },
    listMissing: (key) => [...missing].flatMap(([replica, { served }]) => (served.has(key) ? [replica] : [])),
  };
}

/** Tracks replicas that did not answer a ping a moment ago, while others did. A stopped process keeps its place in the queue group until the server detects it, and each request to it costs a second: for a while requests are sent to another one by name. */
type SilentReplicas = {
  note(replica: string, isSilent: boolean): void;
  /** Returns one of these that is not silent, if another one is. */
  preferAnswering(replicas: readonly string[]): string | undefined;
};

export function createSilentReplicas(now: () => number = () => performance.now()): SilentReplicas {
  const until = new Map<string, number>();
  return {
    note(replica, isSilent) {
      if (isSilent) until.set(replica, now() + timings.silentReplicaMs);
      else until.delete(replica);
    },
    preferAnswering(replicas) {
      if (until.size === 0) return undefined;
      for (const [replica, at] of until) if (at < now()) until.delete(replica);
      const well = replicas.filter((replica) => !until.has(replica));
      return well.length < replicas.length ? well[Math.floor(Math.random() * well.length)] : undefined;
    },
  };
}
