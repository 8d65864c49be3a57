// Inspects a run: its head, and the report of the orchestrator that drives it. Any orchestrator answers the verb; it asks the owner that
// the head names, on a subject that it builds itself from the owner's id.
import {
  ownerReportSchema,
  shownSave,
  tokenSchema,
  type OwnerReport,
  type RunHead,
  type RunInspection,
} from '@millrace/contracts';
import { request, serve, type ApiHandler, type Bus, type JetStreamAccess, type Serving } from '@millrace/bus';
import { z } from 'zod';
import type { DrivenRuns } from '../state/driven-runs.ts';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { readHead } from '../state/run-head.ts';
import { checkAddress, isVisible, unknownRun } from './run-address.ts';

/** An owner answers from memory; one that takes longer counts as stopped, ms. */
const OWNER_ANSWERS_WITHIN_MS = 1_000;

const askSchema = z.object({ tenant: tokenSchema, runId: tokenSchema });
const answerSchema = z.object({ report: ownerReportSchema.optional() });

/** Serves the reports of the runs that this orchestrator drives. */
export function serveReports(bus: Bus, driven: DrivenRuns): Serving {
  return serve(bus, {
    subject: bus.subjects.inspect(bus.id),
    request: askSchema,
    handle: async ({ tenant, runId }) => ({ report: driven.report(tenant, runId) }),
  });
}

/** Answers `inspect`. The handler throws run-unknown if the run has no head. */
export function createInspectVerb(access: JetStreamAccess, saves: Pick<DeferredSaves, 'list'>): ApiHandler<'inspect'> {
  return async (_request, call) => {
    const { tenant, run } = checkAddress(call);
    const head = await readHead(access, tenant, run);
    if (!head || !isVisible(head.value, call)) throw unknownRun(run);
    return inspectRun(access, saves, head.value);
  };
}

async function inspectRun(
  { bus, clock }: JetStreamAccess,
  saves: Pick<DeferredSaves, 'list'>,
  head: RunHead,
): Promise<RunInspection> {
  const { tenant, runId, status, epoch, takeovers, records, submittedAt } = head;
  const owner = status === 'running' ? await askOwner(bus, head) : undefined;
  return {
    runId,
    status,
    epoch,
    takeovers,
    records,
    ...(status === 'queued' && { queuedMs: Math.max(clock.now() - submittedAt, 0) }),
    ...owner,
    saves: saves
      .list(tenant)
      .filter((save) => save.runId === runId)
      .map(shownSave),
  };
}

async function askOwner(
  bus: Bus,
  { tenant, runId, owner }: RunHead,
): Promise<Required<Pick<RunInspection, 'owner'>> & { report?: OwnerReport }> {
  const answer = await request(bus, {
    subject: bus.subjects.inspect(owner),
    payload: { tenant, runId },
    reply: answerSchema,
    timeoutMs: OWNER_ANSWERS_WITHIN_MS,
  });
  if ('error' in answer) return { owner: { id: owner, isAnswering: false } };
  const { report } = answer.ok;
  return { owner: { id: owner, isAnswering: true }, ...(report && { report }) };
}
