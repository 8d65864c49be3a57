// Ends and deletes the runs of an erased resource: their heads list them. The head of a run is deleted last, because
// nothing else names the run.
import { OPERATOR_CALLER, isFinal, stateKeys, type Erasure, type RunHead } from '@millrace/contracts';
import { deleteEntry, purgeEntries, type JetStreamAccess } from '@millrace/bus';
import { cancelRun } from '../api/cancel-run.ts';
import { listedHeadSchema, type ListedHead } from '../api/stored-runs.ts';
import { SHARD } from '../state/event-log.ts';
import { readPages } from '../streams/read-stored.ts';
import { FINAL_TTL_SECONDS, locateHead } from '../head/run-head.ts';

/** The part of a head that an erasure reads: a tenant may have very many heads. */
export type ErasableRun = Pick<RunHead, 'tenant' | 'runId' | 'status' | 'threadId'>;

/** Reads all heads of the tenant. @param extend is called for each page: it keeps the claim on the erasure */
export async function listErasedRuns(
  access: JetStreamAccess,
  { tenant, resourceId, at }: Erasure,
  extend: () => Promise<void>,
): Promise<ErasableRun[]> {
  const { state } = access.bus.names;
  const query = { stream: `KV_${state}`, subject: `$KV.${state}.${stateKeys.heads(tenant)}`, schema: listedHeadSchema };
  const heads: ErasableRun[] = [];
  const isOwn = (head: ListedHead) =>
    (head.resourceId === resourceId || head.subject === resourceId) && head.submittedAt <= at;
  for await (const page of readPages(access, query)) {
    const own = page.map(({ value }) => value).filter(isOwn);
    heads.push(...own.map(({ runId, status, threadId }) => ({ tenant, runId, status, threadId })));
    await extend();
  }
  return heads;
}

/** Cancels the runs that have not ended. Returns how many are still active. */
export async function stopRuns(access: JetStreamAccess, heads: readonly ErasableRun[]): Promise<number> {
  let active = 0;
  for (const { tenant, runId, status } of heads) {
    if (isFinal(status)) continue;
    await cancelRun(access, { tenant, run: runId, caller: OPERATOR_CALLER });
    const there = await locateHead(access, tenant, runId);
    if ('value' in there && !isFinal(there.value.status)) active += 1;
  }
  return active;
}

export type ErasedContent = { events: number; changes: number };
type DeletedRun = Pick<ErasableRun, 'tenant' | 'runId'>;

/** Deletes the content of a run and its events. Returns the numbers of events and recorded changes. */
export async function eraseRunContent(access: JetStreamAccess, { tenant, runId }: DeletedRun): Promise<ErasedContent> {
  const { bus, jsm } = access;
  const changes = await deleteRunContent(access, { tenant, runId });
  const filter = bus.subjects.events(SHARD, tenant, runId);
  return { events: (await jsm.streams.purge(bus.names.events, { filter })).purged, changes };
}

/** Deletes records, ends, questions, chunks and recorded changes of a run. Returns the number of the last. */
export async function deleteRunContent(access: JetStreamAccess, { tenant, runId }: DeletedRun): Promise<number> {
  const { bus, jsm } = access;
  const { state } = bus.names;
  const keys = [
    stateKeys.records(tenant, runId),
    stateKeys.ends(tenant, runId),
    stateKeys.suspension(tenant, runId),
    stateKeys.allSuspensions(tenant, runId),
    stateKeys.resumptions(tenant, runId),
    stateKeys.cancel(tenant, runId),
  ];
  for (const key of keys) await purgeEntries(access, state, key);
  await jsm.streams.purge(access.chooseLogStream(tenant, runId), { filter: bus.subjects.runLog(tenant, runId) });
  return (await jsm.streams.purge(bus.names.changes, { filter: bus.subjects.changes(tenant, runId) })).purged;
}

/**
 * Replaces the head by a tombstone: it was written more than once, and a server that is killed would restore an earlier
 * version of a purged entry.
 */
export async function deleteHead(access: JetStreamAccess, { tenant, runId }: DeletedRun): Promise<boolean> {
  const there = await locateHead(access, tenant, runId);
  if (!('value' in there) || !isFinal(there.value.status)) return false;
  const key = stateKeys.head(tenant, runId);
  const deleted = await deleteEntry(access, access.bus.names.state, key, there.revision, FINAL_TTL_SECONDS);
  return 'revision' in deleted;
}
