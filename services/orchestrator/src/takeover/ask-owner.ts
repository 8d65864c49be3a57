// Asks the orchestrator that a head names as the owner of a run, on a subject that is built from the owner's id, for its report of the run.
import { ownerReportSchema, timings, tokenSchema, type OwnerReport, type RunHead } from '@millrace/contracts';
import { request, serve, type Bus, type Serving } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DrivenRuns } from '../state/driven-runs.ts';
import { isGivenAway, type RunStop } from '../state/run-stop.ts';
import { CONNECTED_MS } from './peer-state.ts';

/** An owner answers from memory; one that takes longer counts as stopped, ms. */
const OWNER_ANSWERS_WITHIN_MS = 1_000;
const ASK_EVERY_MS = 200;
/** Successive questions without an answer after which the owner is lost: one may be lost with a slow server. */
const MAX_SILENT = 2;

const askSchema = z.object({ tenant: tokenSchema, runId: tokenSchema });
const answerSchema = z.object({
  report: ownerReportSchema.optional(),
  /** Epoch in which the owner drives the run, also before it has a report. Absent: it does not, or has an older version. */
  epoch: z.number().int().optional(),
});

/** Serves the reports of the runs that this orchestrator drives. */
export function serveReports(bus: Bus, driven: DrivenRuns): Serving {
  return serve(bus, {
    subject: bus.subjects.inspect(bus.id),
    request: askSchema,
    handle: async ({ tenant, runId }) => ({
      report: driven.report(tenant, runId),
      epoch: driven.findEpoch(tenant, runId),
    }),
  });
}

/** `report`: absent if the owner does not drive the run. */
export type OwnerAnswer = { isAnswering: boolean; report?: OwnerReport; epoch?: number; hasLeft?: boolean };

export async function askOwner(bus: Bus, { tenant, runId, owner }: RunHead): Promise<OwnerAnswer> {
  const answer = await request(bus, {
    subject: bus.subjects.inspect(owner),
    payload: { tenant, runId },
    reply: answerSchema,
    timeoutMs: OWNER_ANSWERS_WITHIN_MS,
  });
  if ('error' in answer) return { isAnswering: false, hasLeft: answer.error.code === 'nobody-there' };
  const { report, epoch = report?.epoch } = answer.ok;
  return { isAnswering: true, ...(report && { report }), ...(epoch !== undefined && { epoch }) };
}

/**
 * `released`: the process of the owner runs and no longer drives the run, or it has handed the run over. `stopped`: the run is released here,
 * or this process stops, before the owner is known to be lost.
 */
export type OwnerFate = 'drives' | 'released' | 'lost' | 'stopped';

/**
 * Returns whether another orchestrator drives the run in the epoch of its head. If NATS is killed before it has written a delivery, it
 * delivers the command again, and the owner may reconnect later than this process: without an answer, this process asks again until its
 * connection has been up for CONNECTED_MS. It asks for `timings.outageMs` at most.
 */
export async function findOwnerFate(bus: Bus, head: RunHead, stop: RunStop): Promise<OwnerFate> {
  if (head.owner === bus.id || head.handedOver) return 'released';
  const giveUpAt = performance.now() + timings.outageMs;
  let silent = 0;
  while (!isStopped(stop)) {
    const connections = bus.countConnections();
    const { isAnswering, epoch, hasLeft } = await askOwner(bus, head);
    if (isAnswering) return epoch === head.epoch ? 'drives' : 'released';
    // An answer over a connection that was lost in between proves nothing.
    const isConnected = bus.hasConnection() && bus.countConnections() === connections;
    silent = isConnected ? silent + 1 : 0;
    const isDecided = isConnected && (hasLeft || silent >= MAX_SILENT);
    if (isDecided && performance.now() - bus.readConnectedAt() >= CONNECTED_MS)
      return isStopped(stop) ? 'stopped' : 'lost';
    if (performance.now() > giveUpAt) return isStopped(stop) ? 'stopped' : 'lost';
    await delay(ASK_EVERY_MS);
  }
  return 'stopped';
}

/** A cancelled run waits for its owner, which reads the cancel itself. */
const isStopped = ({ signal, fenced, isLeaving }: RunStop): boolean =>
  fenced.aborted || isLeaving() || (signal.aborted && isGivenAway(signal));
