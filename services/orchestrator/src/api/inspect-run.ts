// Inspects a run: its head, and the report of the orchestrator that drives it. Any orchestrator answers the verb, and asks the owner.
import { toShownSave, type RunHead, type RunInspection } from '@millrace/contracts';
import type { ApiHandler, JetStreamAccess } from '@millrace/bus';
import { askOwner } from '../takeover/ask-owner.ts';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { readHead } from '../head/run-head.ts';
import { checkAddress, isVisible, createUnknownRunError } from './run-address.ts';

/** Answers `inspect`. The handler throws run-unknown if the run has no head. */
export function createInspectVerb(access: JetStreamAccess, saves: Pick<DeferredSaves, 'list'>): ApiHandler<'inspect'> {
  return async (_request, call) => {
    const { tenant, run } = checkAddress(call);
    const head = await readHead(access, tenant, run);
    if (!head || !isVisible(head.value, call)) throw createUnknownRunError(run);
    return inspectRun(access, saves, head.value);
  };
}

async function inspectRun(
  { bus, clock }: JetStreamAccess,
  saves: Pick<DeferredSaves, 'list'>,
  head: RunHead,
): Promise<RunInspection> {
  const { tenant, runId, status, epoch, takeovers, records, submittedAt } = head;
  const asked = status === 'running' ? await askOwner(bus, head) : undefined;
  return {
    runId,
    status,
    epoch,
    takeovers,
    records,
    ...(status === 'queued' && { queuedMs: Math.max(clock.now() - submittedAt, 0) }),
    ...(asked && { owner: { id: head.owner, isAnswering: asked.isAnswering } }),
    ...(asked?.report && { report: asked.report }),
    saves: saves
      .list(tenant)
      .filter((save) => save.runId === runId)
      .map(toShownSave),
  };
}
