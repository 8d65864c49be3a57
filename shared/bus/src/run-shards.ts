// Chooses the subject of each command by the counts of the command queue: those that were read last (`watch-run-shards.ts`), with the commands
// added that this process has published since.
import { createQueuedBytes } from './queued-bytes.ts';
import { addCommand, chooseShard, countByTenant, readLoads } from './shard-loads.ts';
import type { Bus } from './bus.ts';

export type RunShards = {
  /** Returns the subject for the tenant's next command, and counts it. @param bytes its size */
  nextSubject(tenant: string, bytes?: number): string;
  /** Bytes of the tenant's commands in the queue that this process has published, as an upper bound. */
  countQueuedBytes(tenant: string): number;
  /** @param subjects messages by subject */
  read(subjects: Readonly<Record<string, number>>): void;
};

export function createRunShards({ subjects: names }: Bus): RunShards {
  const queued = createQueuedBytes();
  let loads = readLoads(names.prefix, {});
  return {
    nextSubject(tenant, bytes = 0) {
      queued.add(tenant, bytes);
      const shard = chooseShard(loads, tenant);
      addCommand(loads, shard, tenant);
      return names.runs(shard, tenant);
    },
    countQueuedBytes: queued.sum,
    read(subjects) {
      loads = readLoads(names.prefix, subjects);
      queued.read(countByTenant(loads));
    },
  };
}
