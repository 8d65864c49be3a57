// A run's state as its head and its records make it: what an owner that takes the run over goes on with. A record that no head has
// named, or that a replaced owner wrote after it was replaced, is not looked at.
import {
  MillraceError,
  recordSchema,
  stateKeys,
  type RunAction,
  type RunHead,
  type RunState,
} from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { foldRun } from './run-state.ts';
import { epochOf, recordName } from './run-store.ts';
import { throughOutages } from './through-outages.ts';

/** Records that are asked for at once. */
const MAX_READS_AT_ONCE = 32;

/** undefined: the run was never at a checkpoint. @throws run-state-unreadable, bus-unreachable, store-unavailable */
export async function loadRun(access: JetStreamAccess, head: RunHead): Promise<RunState | undefined> {
  const { tenant, runId } = head;
  const names = recordNames(head);
  if (names.length === 0) return undefined;
  const read = (name: string) =>
    throughOutages(`record ${name} of ${tenant}.${runId}`, () => readRecord(access, head, name));
  const actions: RunAction[] = [];
  for (let at = 0; at < names.length; at += MAX_READS_AT_ONCE) {
    const records = await Promise.all(names.slice(at, at + MAX_READS_AT_ONCE).map(read));
    actions.push(...records.flat());
  }
  const state = foldRun(actions);
  if (!state) throw unreadable(head, 'its first record does not begin it');
  return state;
}

/** The records of a run that is put away live as long as it may be. Written again as they are: who reads them meanwhile sees the same. */
export async function prolongRecords(access: JetStreamAccess, head: RunHead, ttlSeconds: number): Promise<void> {
  const { tenant, runId } = head;
  const names = recordNames(head);
  const prolong = async (name: string) => {
    const key = stateKeys.record(tenant, runId, name);
    const value = { epoch: epochOf(name), actions: await readRecord(access, head, name) };
    await writeEntry(access, access.bus.names.state, key, value, { ttlSeconds });
  };
  for (let at = 0; at < names.length; at += MAX_READS_AT_ONCE)
    await Promise.all(names.slice(at, at + MAX_READS_AT_ONCE).map(prolong));
}

/** Those that count, in order: each by the owner that wrote it. */
function recordNames({ owners, records }: RunHead): string[] {
  return owners.flatMap(({ epoch, firstRecord }, at) => {
    const end = owners[at + 1]?.firstRecord ?? records;
    return Array.from({ length: Math.max(end - firstRecord, 0) }, (_, n) => recordName(epoch, firstRecord + n));
  });
}

async function readRecord(access: JetStreamAccess, head: RunHead, name: string): Promise<RunAction[]> {
  const { tenant, runId } = head;
  try {
    const key = stateKeys.record(tenant, runId, name);
    const entry = await readEntry(access, access.bus.names.state, key, recordSchema);
    if (entry) return entry.value.actions;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'message-invalid') throw unreadable(head, error.message);
    throw error;
  }
  throw unreadable(head, `record ${name} is gone`);
}

function unreadable({ tenant, runId }: RunHead, why: string): MillraceError {
  return new MillraceError('run-state-unreadable', `The state of ${tenant}.${runId} cannot be read: ${why}.`, {
    remedy: 'Submit the request again under a new run id; run one version of the orchestrator.',
  });
}
