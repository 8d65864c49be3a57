// Deletes the stored state of a run that has ended: its records hold the caller's raw text, its questions and the
// answers to them.
import { stateKeys, type RunHead } from '@millrace/contracts';
import { clearTimer, purgeEntries, type JetStreamAccess } from '@millrace/bus';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** Keeps the head and the end that it names. Only a run with more than one epoch may have been suspended. @throws bus-unreachable */
export async function deleteRunState(access: JetStreamAccess, head: RunHead): Promise<void> {
  const { tenant, runId, epoch } = head;
  const records = stateKeys.records(tenant, runId);
  if (epoch === 1) return forget(access, tenant, runId, [records]);
  await Promise.all([
    forget(access, tenant, runId, [records, ...listSuspensionKeys(tenant, runId)]),
    retryThroughOutages(`the earlier ends of ${tenant}.${runId}`, () => purgeEarlierEnds(access, head)),
    retryThroughOutages(`the timer of ${tenant}.${runId}`, () => clearTimer(access, tenant, runId)),
  ]);
}

/** A writer that loses the head removes its own end: this keeps ends that are newer than the head's. */
async function purgeEarlierEnds(access: JetStreamAccess, { tenant, runId, end }: RunHead): Promise<void> {
  if (end) await purgeEntries(access, access.bus.names.state, stateKeys.ends(tenant, runId), end.revision - 1);
}

/** Removes the records of a suspended run that were stored again with a longer time to live. @throws bus-unreachable */
export async function forgetOriginals(
  access: JetStreamAccess,
  { tenant, runId }: RunHead,
  from: number,
): Promise<void> {
  const records = stateKeys.records(tenant, runId);
  if (Number.isFinite(from)) await purgeEntries(access, access.bus.names.state, records, from - 1);
}

/**
 * Deletes the questions of an owner that could not suspend its run. Keeps those of other epochs: another owner may have suspended the run.
 * @throws bus-unreachable
 */
export async function forgetSuspension(access: JetStreamAccess, { tenant, runId, epoch }: RunHead): Promise<void> {
  await forget(access, tenant, runId, [stateKeys.suspension(tenant, runId, epoch)]);
}

const listSuspensionKeys = (tenant: string, runId: string): string[] => [
  stateKeys.suspension(tenant, runId),
  stateKeys.allSuspensions(tenant, runId),
  stateKeys.resumptions(tenant, runId),
];

async function forget(access: JetStreamAccess, tenant: string, runId: string, keys: readonly string[]): Promise<void> {
  const { state } = access.bus.names;
  await retryThroughOutages(`the stored state of ${tenant}.${runId}`, () =>
    Promise.all(keys.map((key) => purgeEntries(access, state, key))),
  );
}
