// What is kept of a run for those who may go on with it, forgotten when it has ended: it holds the caller's words as they came, what was
// asked, and what was answered.
import { stateKeys, type RunHead } from '@millrace/contracts';
import { purgeEntries, type JetStreamAccess } from '@millrace/bus';
import { throughOutages } from './through-outages.ts';

/** Head and end stay. Only a run that has gone through more than one epoch may have been put away. @throws bus-unreachable */
export async function forgetRun(access: JetStreamAccess, { tenant, runId, epoch, owners }: RunHead): Promise<void> {
  const earlier = owners.filter((owner) => owner.epoch < epoch);
  await forget(access, tenant, runId, [
    stateKeys.records(tenant, runId),
    ...(epoch > 1 ? suspensionKeys(tenant, runId) : []),
    ...earlier.map((owner) => stateKeys.end(tenant, runId, owner.epoch)),
  ]);
}

/** Of a run that could not be put away after all. @throws bus-unreachable */
export async function forgetSuspension(access: JetStreamAccess, tenant: string, runId: string): Promise<void> {
  await forget(access, tenant, runId, suspensionKeys(tenant, runId));
}

const suspensionKeys = (tenant: string, runId: string): string[] => [
  stateKeys.suspension(tenant, runId),
  stateKeys.resumptions(tenant, runId),
];

async function forget(access: JetStreamAccess, tenant: string, runId: string, keys: readonly string[]): Promise<void> {
  const { state } = access.bus.names;
  await throughOutages(`what is kept of ${tenant}.${runId}`, () =>
    Promise.all(keys.map((key) => purgeEntries(access, state, key))),
  );
}
