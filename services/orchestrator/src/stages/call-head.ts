// What every call to a processor starts with: which run, which entries with what state, how long.
import { asTimeoutMs, type CallEntry, type PlanEntry, type RunRef } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

export function callHead(run: Run, entries: readonly PlanEntry[]) {
  const { requestContext, trace } = run.state().request;
  const ref: RunRef = run.ref;
  return {
    callId: crypto.randomUUID(),
    run: ref,
    entries: entries.map((entry) => callEntry(run, entry)),
    requestContext,
    ...(trace && { trace }),
    // A merged call's limit is the sum of its members'.
    timeoutMs: asTimeoutMs(entries.reduce((sum, entry) => sum + entry.timeoutMs, 0)),
    remainingMs: asTimeoutMs(run.deadlineAt - Date.now()),
  };
}

function callEntry(run: Run, { entry, processor, options }: PlanEntry): CallEntry {
  return { entry, processor, options, state: run.state().states[entry] ?? {} };
}
