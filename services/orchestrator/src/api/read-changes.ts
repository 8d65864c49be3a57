// Reads the stored changes of a run, for the verb `changes`.
import { storedChangesSchema, type ApiAnswer, type RunHead } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { readStored } from '../state/read-stored.ts';

/** Those of the owner of the head: what a replaced owner stored does not count. */
export async function readChanges(access: JetStreamAccess, head: RunHead): Promise<ApiAnswer<'changes'>> {
  const { tenant, runId, epoch } = head;
  const { subjects, names } = access.bus;
  const query = { stream: names.changes, subject: subjects.changes(tenant, runId), schema: storedChangesSchema };
  const own = (await readStored(access, query)).filter((stored) => stored.epoch === epoch);
  const omitted = own.reduce((sum, one) => sum + one.omitted, 0);
  return { runId, changes: own.flatMap(({ changes }) => changes), omitted };
}
