// Chooses the subject of each command by the counts of the command queue: those that were read last (`watch-run-shards.ts`), with the commands
// added that this process has published since.
import type { RunParty } from '@millrace/contracts';
import { createQueuedBytes } from './queued-bytes.ts';
import { addCommand, chooseShard, countByTenant, readLoads } from './shard-loads.ts';
import type { Bus } from '../core/bus.ts';

export type RunShards = {
  /** Returns the subject for the next command of the party, and counts it. @param bytes its size */
  nextSubject(party: RunParty, bytes?: number): string;
  /** Bytes of the commands in the queue that this process has published, as an upper bound: of the tenant, and of the caller. */
  countQueuedBytes(party: RunParty): { tenant: number; caller: number };
  /** @param subjects messages by subject */
  read(subjects: Readonly<Record<string, number>>): void;
};

export function createRunShards({ subjects: names }: Bus): RunShards {
  const ofTenants = createQueuedBytes();
  const ofCallers = createQueuedBytes();
  let loads = readLoads(names.prefix, {});
  return {
    nextSubject(party, bytes = 0) {
      const { tenant } = party;
      const shard = chooseShard(loads, party, ofCallers.count(spellParty(party)));
      ofTenants.add(tenant, bytes);
      ofCallers.add(spellParty(party), bytes);
      addCommand(loads, shard, tenant);
      return names.runs(shard, tenant);
    },
    countQueuedBytes: (party) => ({ tenant: ofTenants.sum(party.tenant), caller: ofCallers.sum(spellParty(party)) }),
    read(subjects) {
      loads = readLoads(names.prefix, subjects);
      const counts = countByTenant(loads);
      ofTenants.read((tenant) => counts.get(tenant) ?? 0);
      ofCallers.read((party) => counts.get(readTenant(party)) ?? 0);
    },
  };
}

/** Both are tokens, without a dot. */
const spellParty = ({ tenant, caller }: RunParty): string => `${tenant}.${caller}`;
const readTenant = (party: string): string => party.slice(0, party.indexOf('.'));
