// Agents as they were applied, with their plans: read from the bucket, written through the api alone, watched so that the next
// run of every orchestrator follows the newest.
import { agentKey, appliedAgentSchema, type AppliedAgent } from '@millrace/contracts';
import { conflictError, readEntry, watchBucket, writeEntry, type JetStreamAccess } from '@millrace/bus';

export type AgentStore = {
  /** Newest, or undefined. What the watch has not brought yet is read through. */
  get(tenant: string, agent: string): Promise<AppliedAgent | undefined>;
  list(tenant: string): AppliedAgent[];
  /** @throws state-conflict when somebody else applied it in between */
  put(tenant: string, applied: AppliedAgent): Promise<AppliedAgent>;
  stop(): void;
};

export async function openAgentStore(access: JetStreamAccess): Promise<AgentStore> {
  const { bus } = access;
  const bucket = bus.names.agents;
  const known = new Map<string, AppliedAgent>();
  const stop = await watchBucket(access, bucket, appliedAgentSchema, {
    put: (key, { value, revision }) => void known.set(key, { ...value, revision }),
    removed: (key) => void known.delete(key),
  });
  const read = async (key: string) => {
    const entry = await readEntry(access, bucket, key, appliedAgentSchema);
    return entry && { ...entry.value, revision: entry.revision };
  };
  return {
    get: async (tenant, agent) => known.get(agentKey(tenant, agent)) ?? read(agentKey(tenant, agent)),
    list: (tenant) => [...known].filter(([key]) => key.startsWith(`${tenant}.`)).map(([, applied]) => applied),
    async put(tenant, applied) {
      const key = agentKey(tenant, applied.agent.name);
      const there = await read(key);
      const written = await writeEntry(access, bucket, key, applied, { expectedRevision: there?.revision ?? 0 });
      if ('conflict' in written) throw conflictError(key);
      const stored = { ...applied, revision: written.revision };
      known.set(key, stored);
      return stored;
    },
    stop,
  };
}
