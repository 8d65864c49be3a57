// Implements the verb `delete`: deletes a run for its caller, that is what the verbs of runs return. Its events hold no text and stay for
// operators; its messages stay in the thread, deferred saves and dead letters until they expire.
import { MillraceError, isFinal, type ApiAnswer, type RunHead } from '@millrace/contracts';
import type { ApiCall, JetStreamAccess } from '@millrace/bus';
import { cancelRun } from '../api/cancel-run.ts';
import { checkAddress, isVisible, createUnknownRunError } from '../api/run-address.ts';
import { readHead } from '../head/run-head.ts';
import { deleteHead, deleteRunContent } from './erase-runs.ts';

export function createDeleteVerb(access: JetStreamAccess) {
  return async (_request: object, call: ApiCall): Promise<ApiAnswer<'delete'>> => {
    const { tenant, run } = checkAddress(call);
    const entry = await readHead(access, tenant, run);
    if (!entry || !isVisible(entry.value, call)) throw createUnknownRunError(run);
    await deleteRun(access, entry.value, call.caller);
    return { runId: run, deleted: true };
  };
}

/**
 * Cancels a suspended run first. The head is deleted last: a repetition of an interrupted deletion finds the run.
 * @throws state-conflict if the run is active
 */
async function deleteRun(access: JetStreamAccess, head: RunHead, caller: string): Promise<void> {
  const { tenant, runId, status } = head;
  const current = status === 'suspended' ? await cancelRun(access, { tenant, run: runId, caller }) : status;
  if (current === undefined) throw createUnknownRunError(runId);
  if (!isFinal(current)) throw createActiveRunError(runId, current);
  await deleteRunContent(access, head);
  await deleteHead(access, head);
}

const createActiveRunError = (runId: string, status: string): MillraceError =>
  new MillraceError('state-conflict', `The run ${runId} is ${status}, and only a run that has ended is deleted.`, {
    path: 'run',
    remedy: 'Cancel it, wait for its end, and delete it then.',
  });
