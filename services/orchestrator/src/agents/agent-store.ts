// Agents as they were applied, with their plans: read from the bucket, written through the api alone, watched so that the next
// run of every orchestrator follows the newest.
import { agentKey, appliedAgentSchema, type AppliedAgent } from '@millrace/contracts';
import { readEntry, writeEntry, conflictError, type JetStreamAccess } from '@millrace/bus';
import { Kvm } from '@nats-io/kv';

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
  const kv = await new Kvm(bus.nc).open(bucket);
  const watch = await kv.watch({ key: '>' });
  const follow = async () => {
    for await (const entry of watch) {
      const applied = entry.operation === 'PUT' ? appliedAgentSchema.safeParse(JSON.parse(entry.string())) : undefined;
      if (applied?.success) known.set(entry.key, { ...applied.data, revision: entry.revision });
      else if (applied) bus.log.warn({ agent: entry.key }, 'a stored agent does not fit its schema and is left out');
      else known.delete(entry.key);
    }
  };
  void follow().catch((error: unknown) => bus.log.error({ error: String(error) }, 'the agents are no longer watched'));

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
    stop: () => watch.stop(),
  };
}
