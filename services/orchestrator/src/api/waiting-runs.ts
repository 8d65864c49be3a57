// Limits the suspended runs of a caller: each run with tools of the caller may wait for an hour.
import { CLIENT_TOOL_LIMITS, MillraceError, stateKeys } from '@millrace/contracts';
import type { ApiCall, JetStreamAccess } from '@millrace/bus';
import { locateHead } from '../head/run-head.ts';
import { createRunList, createRunMatch, type ListedRun, type RunList } from './run-list.ts';
import type { RunIndex } from './run-index.ts';

const { maxWaitingRuns } = CLIENT_TOOL_LIMITS;
/** A list of suspended runs that was read from the bucket counts this long, as the index refreshes. */
const KEEP_MS = 5_000;
/** Concurrent reads of heads. */
const MAX_READS_AT_ONCE = 32;

type CountedCaller = Pick<ApiCall, 'tenant' | 'caller'>;

/**
 * Returns a function that throws too-many-runs for a caller with the maximum of suspended runs. Without an index it reads the
 * suspended runs of the tenant, if these are as many as the maximum.
 */
export function createWaitingLimit(access: JetStreamAccess, index?: RunIndex): (call: CountedCaller) => Promise<void> {
  const readStored = keepBriefly((tenant) => readSuspended(access, tenant));
  return async ({ tenant, caller }) => {
    const list = index?.findRecent(tenant) ?? (await readStored(tenant));
    const isWaiting = createRunMatch({ status: 'suspended' }, { caller });
    const page = list.select(isWaiting, { limit: maxWaitingRuns, after: 0 });
    if (page.next === undefined && page.runs.length < maxWaitingRuns) return;
    throw new MillraceError('too-many-runs', `This caller has ${maxWaitingRuns} suspended runs.`, {
      path: 'clientTools',
      remedy: 'Answer or release them first.',
    });
  };
}

/** Reads the heads of the runs that have stored questions. Returns none if these are fewer than the maximum. */
async function readSuspended(access: JetStreamAccess, tenant: string): Promise<RunList> {
  const { state } = access.bus.names;
  const filter = `$KV.${state}.${stateKeys.suspensions(tenant)}`;
  const info = await access.jsm.streams.info(`KV_${state}`, { subjects_filter: filter });
  const place = filter.split('.').length - 1;
  const runIds = [...new Set(Object.keys(info.state.subjects ?? {}).flatMap((key) => key.split('.')[place] ?? []))];
  const list = createRunList();
  if (runIds.length < maxWaitingRuns) return list;
  const found: ListedRun[] = [];
  for (let at = 0; at < runIds.length; at += MAX_READS_AT_ONCE) {
    const reads = runIds.slice(at, at + MAX_READS_AT_ONCE).map((runId) => locateHead(access, tenant, runId));
    for (const there of await Promise.all(reads))
      if ('value' in there && there.value.status === 'suspended')
        found.push({ ...there.value, revision: there.revision });
  }
  for (const run of found.toSorted((a, b) => a.revision - b.revision)) list.put(run);
  return list;
}

/** Shares a read among the calls of a tenant. A failed read is not kept. */
function keepBriefly<T>(read: (tenant: string) => Promise<T>): (tenant: string) => Promise<T> {
  const kept = new Map<string, { until: number; value: Promise<T> }>();
  return (tenant) => {
    const now = performance.now();
    for (const [key, { until }] of kept) if (until <= now) kept.delete(key);
    const found = kept.get(tenant);
    if (found) return found.value;
    const value = read(tenant);
    kept.set(tenant, { until: now + KEEP_MS, value });
    value.catch(() => kept.delete(tenant));
    return value;
  };
}
