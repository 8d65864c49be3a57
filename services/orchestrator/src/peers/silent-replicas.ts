// Replicas that did not answer a ping a moment ago, while others did. A process that is stopped keeps its place in the queue group until
// the server finds out, and each request that goes there costs a second: for a while requests go to another one by name.

/** As long as two rounds of discovery, which notes again who is still silent. ms */
const AVOIDED_MS = 10_000;

export type SilentReplicas = {
  note(replica: string, isSilent: boolean): void;
  /** One of these that is not silent, where another one is. */
  preferred(replicas: readonly string[]): string | undefined;
};

export function createSilentReplicas(now: () => number = () => performance.now()): SilentReplicas {
  const until = new Map<string, number>();
  return {
    note(replica, isSilent) {
      if (isSilent) until.set(replica, now() + AVOIDED_MS);
      else until.delete(replica);
    },
    preferred(replicas) {
      if (until.size === 0) return undefined;
      for (const [replica, at] of until) if (at < now()) until.delete(replica);
      const well = replicas.filter((replica) => !until.has(replica));
      return well.length < replicas.length ? well[Math.floor(Math.random() * well.length)] : undefined;
    },
  };
}
