// Chooses the subject of each command by the counts of the command queue: those that were read last (`watch-run-shards.ts`), with the commands
// added that this process has published since.
import { addCommand, chooseShard, readLoads } from './shard-loads.ts';
import type { Bus } from './bus.ts';

export type RunShards = {
  /** Returns the subject for the tenant's next command, and counts it. */
  nextSubject(tenant: string): string;
  /** @param subjects messages by subject */
  read(subjects: Readonly<Record<string, number>>): void;
};

export function createRunShards({ subjects: names }: Bus): RunShards {
  let loads = readLoads(names.prefix, {});
  return {
    nextSubject(tenant) {
      const shard = chooseShard(loads, tenant);
      addCommand(loads, shard, tenant);
      return names.runs(shard, tenant);
    },
    read: (subjects) => void (loads = readLoads(names.prefix, subjects)),
  };
}
