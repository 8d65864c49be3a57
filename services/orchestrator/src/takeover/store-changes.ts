// Stores the changes of a run when it has ended, before its head is final: an erasure waits for that head and then
// deletes them. Changes that cannot be stored are lost, and the run ends without them.
import { loggedError, type StoredChanges } from '@millrace/contracts';
import { publishDurably } from '@millrace/bus';
import { hashResource } from '../state/hash-resource.ts';
import type { Run } from '../state/run-context.ts';

/** @param isAccepted the run ended with an answer that every entry has passed: not by a halt, which rejects the input */
export async function storeChanges(run: Run, isAccepted: boolean): Promise<void> {
  const { changes: log, deps, ref } = run;
  if (!log) return;
  const final = isAccepted ? run.state().conversation : undefined;
  const { changes, omitted } = log.list(final);
  if (changes.length + omitted === 0) return;
  const { tenant, runId, epoch, resourceId } = ref;
  const { access } = deps;
  const at = new Date(access.clock.now()).toISOString();
  const owner = resourceId === undefined ? {} : { owner: hashResource(tenant, resourceId) };
  const stored: StoredChanges = { epoch, at, ...owner, changes, omitted };
  const subject = access.bus.subjects.changes(tenant, runId);
  await publishDurably(access, subject, stored, `${tenant}.${runId}.${epoch}.changes`, { once: true }).catch(
    (error: unknown) => deps.log.warn({ runId, ...loggedError(error) }, 'changes of the run are not stored'),
  );
}
