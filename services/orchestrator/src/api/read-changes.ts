// Reads the stored changes of a run, for the verb `changes`.
import { storedChangesSchema, type ApiAnswer, type RunHead, type StoredChanges } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { readStored } from '../streams/read-stored.ts';

export async function readChanges(access: JetStreamAccess, head: RunHead): Promise<ApiAnswer<'changes'>> {
  const { tenant, runId, epoch } = head;
  const { subjects, names } = access.bus;
  const query = { stream: names.changes, subject: subjects.changes(tenant, runId), schema: storedChangesSchema };
  return { runId, ...selectChanges(await readStored(access, query), epoch) };
}

/**
 * Selects the changes of each owner. An earlier owner counts only if it suspended the run or handed it over: another one
 * that stored an ending was replaced before the ending counted, and its steps were repeated.
 * @param epoch the epoch of the head
 */
export function selectChanges(
  stored: readonly StoredChanges[],
  epoch: number,
): Pick<ApiAnswer<'changes'>, 'changes' | 'omitted' | 'lost'> {
  const own = stored.filter((one) => one.epoch === epoch);
  const ended = own.filter(({ isPartial }) => !isPartial);
  const earlier = stored.filter((one) => one.epoch < epoch && one.isPartial);
  const counted = [...earlier, ...(ended.length > 0 ? ended : own)];
  const known = new Set(earlier.map((one) => one.epoch));
  return {
    changes: counted.toSorted((one, other) => one.epoch - other.epoch).flatMap(({ changes }) => changes),
    omitted: counted.reduce((sum, one) => sum + one.omitted, 0),
    lost: stored.length === 0 ? 0 : Math.max(0, epoch - 1 - known.size),
  };
}
