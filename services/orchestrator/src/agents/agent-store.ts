// Agents as they were applied, with their plans: read from the bucket, written through the api alone, watched so that the next
// run of every orchestrator follows the newest. An agent's revisions are counted from 1; deleted and applied again it begins anew.
import { AGENT_LIMITS, MillraceError, agentKey, appliedAgentSchema, type AppliedAgent } from '@millrace/contracts';
import {
  conflictError,
  deleteEntry,
  locateEntry,
  readEntry,
  watchBucket,
  writeEntry,
  type Entry,
  type JetStreamAccess,
} from '@millrace/bus';

export type AgentStore = {
  /** Newest, or undefined. What the watch has not brought yet is read through. */
  get(tenant: string, agent: string): Promise<AppliedAgent | undefined>;
  /** The same, with the bucket's revision of it. */
  find(tenant: string, agent: string): Promise<Entry<AppliedAgent> | undefined>;
  /** At least as new as that revision of the bucket: another orchestrator may have seen more of it. */
  atLeast(tenant: string, agent: string, revision: number): Promise<AppliedAgent | undefined>;
  /** By name. */
  list(tenant: string): AppliedAgent[];
  /** @throws state-conflict when somebody else applied it in between; agents-full */
  put(tenant: string, applied: AppliedAgent): Promise<AppliedAgent>;
  /** What was there, or undefined. @throws state-conflict */
  delete(tenant: string, agent: string): Promise<AppliedAgent | undefined>;
  /** The bucket was made anew: what it had is forgotten. */
  reload(): Promise<void>;
  stop(): void;
};

export async function openAgentStore(access: JetStreamAccess): Promise<AgentStore> {
  const { bus } = access;
  const bucket = bus.names.agents;
  const known = new Map<string, Entry<AppliedAgent>>();
  const watch = () =>
    watchBucket(access, bucket, appliedAgentSchema, {
      put: (key, entry) => void known.set(key, entry),
      removed: (key) => void known.delete(key),
    });
  let stop = await watch();
  const read = (key: string): Promise<Entry<AppliedAgent> | undefined> =>
    readEntry(access, bucket, key, appliedAgentSchema);
  const list = (tenant: string) =>
    [...known]
      .filter(([key]) => key.startsWith(`${tenant}.`))
      .map(([, { value }]) => value)
      .toSorted((one, other) => (one.agent.name < other.agent.name ? -1 : 1));
  const find = async (tenant: string, agent: string) =>
    known.get(agentKey(tenant, agent)) ?? (await read(agentKey(tenant, agent)));
  return {
    find,
    get: async (tenant, agent) => (await find(tenant, agent))?.value,
    async atLeast(tenant, agent, revision) {
      const there = known.get(agentKey(tenant, agent));
      if (there && there.revision >= revision) return there.value;
      return (await read(agentKey(tenant, agent)))?.value;
    },
    list,
    async put(tenant, applied) {
      const key = agentKey(tenant, applied.agent.name);
      const there = await locateEntry(access, bucket, key, appliedAgentSchema);
      if ('error' in there) throw there.error;
      const before = 'value' in there ? there.value : undefined;
      if (!before && list(tenant).length >= AGENT_LIMITS.maxAgents) throw full();
      const stored = { ...applied, revision: (before?.revision ?? 0) + 1 };
      const written = await writeEntry(access, bucket, key, stored, { expectedRevision: there.revision });
      if ('conflict' in written) throw conflictError(key);
      known.set(key, { value: stored, revision: written.revision });
      return stored;
    },
    async delete(tenant, agent) {
      const key = agentKey(tenant, agent);
      const there = await read(key);
      if (!there) return undefined;
      if ('conflict' in (await deleteEntry(access, bucket, key, there.revision))) throw conflictError(key);
      known.delete(key);
      return there.value;
    },
    async reload() {
      stop();
      known.clear();
      stop = await watch();
    },
    stop: () => stop(),
  };
}

function full(): MillraceError {
  return new MillraceError('agents-full', `There are ${AGENT_LIMITS.maxAgents} agents already.`, {
    remedy: 'Delete those that nobody asks any more: millrace agents delete NAME.',
  });
}
