// Stores applied agents with their plans: reads them from the bucket, writes them through the API only, watches them so
// that the next run of every orchestrator uses the newest one. Revisions of an agent are counted from 1, and from 1
// again after a delete.
import { AGENT_LIMITS, MillraceError, buildAgentKey, storedAgentSchema, type AppliedAgent } from '@millrace/contracts';
import {
  createConflictError,
  deleteEntry,
  locateEntry,
  openBucketCopy,
  readEntry,
  writeEntry,
  type BucketEntry,
  type JetStreamAccess,
} from '@millrace/bus';

export type AgentStore = {
  /** Returns the newest agent, or undefined. Reads from the bucket if the watch has not delivered it yet. */
  get(tenant: string, agent: string): Promise<AppliedAgent | undefined>;
  /** As `get`, with the bucket's revision. */
  find(tenant: string, agent: string): Promise<BucketEntry<AppliedAgent> | undefined>;
  /** Returns the agent at that revision of the bucket or a newer one: another orchestrator may have seen more. */
  getAtLeast(tenant: string, agent: string, revision: number): Promise<AppliedAgent | undefined>;
  /** Sorted by name. */
  list(tenant: string): AppliedAgent[];
  /** @throws state-conflict if another writer applied it in between; agents-full */
  put(tenant: string, applied: AppliedAgent): Promise<AppliedAgent>;
  /** Returns the deleted agent, or undefined. @throws state-conflict */
  delete(tenant: string, agent: string): Promise<AppliedAgent | undefined>;
  /** Reads the bucket again, after it was recreated. */
  reload(): Promise<void>;
  stop(): void;
};

export async function openAgentStore(access: JetStreamAccess): Promise<AgentStore> {
  const { bus } = access;
  const bucket = bus.names.agents;
  const copy = await openBucketCopy(access, bucket, storedAgentSchema);
  const readAgent = (key: string): Promise<BucketEntry<AppliedAgent> | undefined> =>
    readEntry(access, bucket, key, storedAgentSchema);
  const list = (tenant: string) =>
    copy
      .list()
      .filter(([key]) => key.startsWith(`${tenant}.`))
      .map(([, { value }]) => value)
      .toSorted((one, other) => (one.agent.name < other.agent.name ? -1 : 1));
  const find = async (tenant: string, agent: string) =>
    copy.get(buildAgentKey(tenant, agent)) ?? (await readAgent(buildAgentKey(tenant, agent)));
  return {
    find,
    get: async (tenant, agent) => (await find(tenant, agent))?.value,
    async getAtLeast(tenant, agent, revision) {
      const there = copy.get(buildAgentKey(tenant, agent));
      if (there && there.revision >= revision) return there.value;
      return (await readAgent(buildAgentKey(tenant, agent)))?.value;
    },
    list,
    async put(tenant, applied) {
      const key = buildAgentKey(tenant, applied.agent.name);
      const there = await locateEntry(access, bucket, key, storedAgentSchema);
      if ('error' in there) throw there.error;
      const before = 'value' in there ? there.value : undefined;
      if (!before && list(tenant).length >= AGENT_LIMITS.maxAgents) throw createFullError();
      const stored = { ...applied, revision: (before?.revision ?? 0) + 1 };
      const written = await writeEntry(access, bucket, key, stored, { expectedRevision: there.revision });
      if ('conflict' in written) throw createConflictError(key);
      copy.put(key, { value: stored, revision: written.revision });
      return stored;
    },
    async delete(tenant, agent) {
      const key = buildAgentKey(tenant, agent);
      const there = await readAgent(key);
      if (!there) return undefined;
      const deleted = await deleteEntry(access, bucket, key, there.revision);
      if ('conflict' in deleted) throw createConflictError(key);
      copy.remove(key, deleted.revision);
      return there.value;
    },
    reload: copy.reload,
    stop: copy.stop,
  };
}

function createFullError(): MillraceError {
  return new MillraceError('agents-full', `There are ${AGENT_LIMITS.maxAgents} agents already.`, {
    remedy: 'Delete unused agents: millrace agents delete NAME.',
  });
}
