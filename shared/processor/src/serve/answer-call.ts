// Answers a stage call on a replica: custom chunks during the call, a heartbeat if it takes long, then its verdicts.
import { MillraceError, type Chunk, type Stage, type StageCall, type StageReply } from '@millrace/contracts';
import type { Bus, Living, ServeContext, StallGate } from '@millrace/bus';
import { createCallReports } from './call-reports.ts';
import { waitOutStall, type CallRegistry } from './call-registry.ts';
import { callStage, type StageOutcome } from './call-stage.ts';
import type { HostedProcessors } from './hosted-processor.ts';

export type CallHost = {
  bus: Bus;
  hosted: HostedProcessors;
  calls: CallRegistry;
  gate: StallGate;
  /** The calls under way: each sends a heartbeat twice a second. */
  working: Set<Living>;
};

/** A call is counted under its queue-group endpoint, also if it arrives on the replica's own subject. */
export const buildEndpointName = (stage: Stage, processor = ''): string => `${stage}-${processor}`;

/** A call that is shorter than this sends no heartbeat, ms. */
const QUIET_MS = 250;

export async function answerCall(
  { bus, hosted, calls, gate, working }: CallHost,
  call: StageCall,
  { respond }: ServeContext,
): Promise<StageReply> {
  const endpoint = buildEndpointName(call.stage, call.entries[0]?.processor);
  const { signal, close } = calls.open(call.callId, Math.min(call.timeoutMs, call.remainingMs), call.run, endpoint);
  const { run, requestContext, trace, maxProcessorRetries } = call;
  const { retryCount, stepNumber } = call.input;
  const outcome: StageOutcome = { verdicts: [], ms: [] };
  const started = performance.now();
  let sequence = 0;
  let reported = 0;
  const report = (progress: Chunk[], more: object) => {
    respond({ sequence, progress, replica: bus.id, ...more });
    // Counts only sent messages: a missing number ends the call at the orchestrator.
    sequence += 1;
  };
  const work: Living = {
    sendHeartbeat(now) {
      if (now - started < QUIET_MS) return;
      const isNew = outcome.verdicts.length > reported;
      report([], isNew ? { judged: outcome } : {});
      reported = outcome.verdicts.length;
    },
  };
  const write = (chunk: Chunk, entry?: string) => report([chunk], { entry });
  try {
    const stall = waitOutStall(gate, { signal });
    if (stall) await stall;
    working.add(work);
    const reports = createCallReports(bus.log, { run: run.runId, stage: call.stage });
    const context = {
      run,
      requestContext,
      trace,
      retryCount,
      maxProcessorRetries,
      stepNumber,
      signal,
      write,
      ...reports,
    };
    await callStage(call, hosted, context, outcome);
  } finally {
    working.delete(work);
    close();
  }
  if (outcome.verdicts.length === 0) throw createNotServedError(call.entries[0]?.processor);
  return { sequence, ...outcome, replica: bus.id };
}

function createNotServedError(processor = ''): MillraceError {
  return new MillraceError('processor-not-there', `This replica does not serve "${processor}".`, { path: processor });
}
