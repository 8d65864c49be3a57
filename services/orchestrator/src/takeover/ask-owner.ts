// Asks the orchestrator that a head names as the owner of a run, on a subject that is built from the owner's id, for its report of the run.
import { ownerReportSchema, tokenSchema, type OwnerReport, type RunHead } from '@millrace/contracts';
import { request, serve, type Bus, type Serving } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DrivenRuns } from '../state/driven-runs.ts';
import { CONNECTED_MS } from './peer-state.ts';

/** An owner answers from memory; one that takes longer counts as stopped, ms. */
const OWNER_ANSWERS_WITHIN_MS = 1_000;
const ASK_EVERY_MS = 200;

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

/** `report`: absent if the owner does not drive the run. */
export type OwnerAnswer = { isAnswering: boolean; report?: OwnerReport };

export async function askOwner(bus: Bus, { tenant, runId, owner }: RunHead): Promise<OwnerAnswer> {
  const answer = await request(bus, {
    subject: bus.subjects.inspect(owner),
    payload: { tenant, runId },
    reply: answerSchema,
    timeoutMs: OWNER_ANSWERS_WITHIN_MS,
  });
  if ('error' in answer) return { isAnswering: false };
  const { report } = answer.ok;
  return { isAnswering: true, ...(report && { report }) };
}

/**
 * Returns whether another orchestrator drives the run in the epoch of its head. If NATS is killed before it has written a delivery, it
 * delivers the command again, and the owner may reconnect later than this process: without an answer, this process asks again until its
 * connection has been up for CONNECTED_MS.
 */
export async function isDrivenElsewhere(bus: Bus, head: RunHead, stopped: AbortSignal): Promise<boolean> {
  if (head.owner === bus.id || head.handedOver) return false;
  for (;;) {
    const { isAnswering, report } = await askOwner(bus, head);
    if (isAnswering) return report?.epoch === head.epoch;
    if (stopped.aborted || performance.now() - bus.connectedAt() >= CONNECTED_MS) return false;
    await delay(ASK_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}
