// Loads a run's state from its head and its records, for an owner that takes the run over. A record that no head names,
// or that a replaced owner wrote after its replacement, is ignored.
import {
  MillraceError,
  chooseRecordVersion,
  recordSchema,
  stateKeys,
  type ProlongedRecords,
  type RunAction,
  type RunHead,
  type RunState,
} from '@millrace/contracts';
import { createConflictError, readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { foldRun } from './run-state.ts';
import { parseEpoch, buildRecordName } from './run-store.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** Concurrent reads of records. */
const MAX_READS_AT_ONCE = 32;

/**
 * Returns undefined if the run had no checkpoint. @throws run-state-unreadable, stored-by-newer, bus-unreachable,
 * store-unavailable
 */
export async function loadRun(access: JetStreamAccess, head: RunHead): Promise<RunState | undefined> {
  const { tenant, runId } = head;
  const names = listRecordNames(head);
  if (names.length === 0) return undefined;
  const readKey = (name: string) =>
    retryThroughOutages(`record ${name} of ${tenant}.${runId}`, () => readRecord(access, head, name));
  const actions: RunAction[] = [];
  for (let at = 0; at < names.length; at += MAX_READS_AT_ONCE) {
    const records = await Promise.all(names.slice(at, at + MAX_READS_AT_ONCE).map(readKey));
    actions.push(...records.flat());
  }
  const state = foldRun(actions);
  if (!state) throw createUnreadableError(head, 'its first record does not begin it');
  return state;
}

/**
 * Stores the records that count once more, with a time to live for a suspended run. Each copy has a name of its own: a server that is killed
 * restores the first version of an entry that was written twice and then purged.
 * @returns the member of the head that names the copies, and the revision below which all records are the originals
 */
export async function prolongRecords(
  access: JetStreamAccess,
  head: RunHead,
  ttlSeconds: number,
): Promise<{ prolonged: ProlongedRecords; from: number }> {
  const { tenant, runId, epoch, records } = head;
  const prolonged = { by: epoch, records };
  const names = listRecordNames(head);
  const copies = listRecordNames({ ...head, prolonged });
  const prolong = async (name: string, at: number) => {
    const key = stateKeys.record(tenant, runId, copies[at] ?? name);
    const actions = await readRecord(access, head, name);
    const value = { v: chooseRecordVersion(actions), epoch: parseEpoch(name), actions };
    const written = await writeEntry(access, access.bus.names.state, key, value, { ttlSeconds });
    if ('conflict' in written) throw createConflictError(key);
    return written.revision;
  };
  const revisions: number[] = [];
  for (let from = 0; from < names.length; from += MAX_READS_AT_ONCE)
    revisions.push(
      ...(await Promise.all(names.slice(from, from + MAX_READS_AT_ONCE).map((name, n) => prolong(name, from + n)))),
    );
  return { prolonged, from: Math.min(...revisions) };
}

/** Returns the names of the records that count, in order. */
function listRecordNames({ owners, records, prolonged }: RunHead): string[] {
  return owners.flatMap(({ epoch, firstRecord }, at) => {
    const end = owners[at + 1]?.firstRecord ?? records;
    return Array.from({ length: Math.max(end - firstRecord, 0) }, (_, n) => {
      const isProlonged = prolonged && firstRecord + n < prolonged.records;
      return buildRecordName(epoch, firstRecord + n, isProlonged ? prolonged.by : undefined);
    });
  });
}

async function readRecord(access: JetStreamAccess, head: RunHead, name: string): Promise<RunAction[]> {
  const { tenant, runId } = head;
  try {
    const key = stateKeys.record(tenant, runId, name);
    const entry = await readEntry(access, access.bus.names.state, key, recordSchema);
    if (entry) return entry.value.actions;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'message-invalid')
      throw createUnreadableError(head, error.message);
    throw error;
  }
  throw createUnreadableError(head, `record ${name} is missing`);
}

function createUnreadableError({ tenant, runId }: RunHead, why: string): MillraceError {
  return new MillraceError('run-state-unreadable', `The state of ${tenant}.${runId} cannot be read: ${why}.`, {
    remedy: 'Submit the request again under a new run id, and run one version of the orchestrator.',
  });
}
