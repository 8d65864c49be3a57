// What one tenant may submit: so many bytes a run, so many runs a second. Counted here, on this orchestrator: a tenant's rate over all of
// them is as many times that as there are orchestrators.
import { MillraceError, type RunRequest } from '@millrace/contracts';

export type SubmitLimits = {
  /** UTF-8 bytes of the messages, the context and the overrides as JSON. */
  maxInputBytes: number;
  runsPerSecond: number;
};

/** A tenant may submit the runs of so long at once, ms. */
const BURST_MS = 1_000;
/** Tenants whose count is kept; one that has been quiet for the burst's time has nothing to remember. */
const MAX_TENANTS = 10_000;

export type SubmitGuard = {
  /** @throws input-too-large, too-many-runs with retryAfterMs */
  check(request: RunRequest): void;
};

export function createSubmitGuard(limits: SubmitLimits, now: () => number = () => performance.now()): SubmitGuard {
  const { maxInputBytes, runsPerSecond } = limits;
  const intervalMs = 1_000 / runsPerSecond;
  const burstMs = Math.max(BURST_MS, intervalMs);
  /** By tenant: the time up to which what was submitted is paid for, the longest ago first. */
  const paidUntil = new Map<string, number>();
  const forget = (at: number) => {
    for (const [tenant, until] of paidUntil) {
      if (until > at && paidUntil.size <= MAX_TENANTS) return;
      paidUntil.delete(tenant);
    }
  };
  return {
    check(request) {
      const { tenant } = request;
      const bytes = inputBytes(request);
      if (bytes > maxInputBytes) throw tooLarge(bytes, maxInputBytes);
      const at = now();
      const until = Math.max(paidUntil.get(tenant) ?? at, at) + intervalMs;
      const early = until - at - burstMs;
      if (early > 0) throw tooMany(tenant, runsPerSecond, early);
      paidUntil.delete(tenant);
      paidUntil.set(tenant, until);
      forget(at);
    },
  };
}

function inputBytes(request: RunRequest): number {
  const { messages, requestContext, inputProcessors, outputProcessors, errorProcessors } = request;
  const given = [messages, requestContext, inputProcessors ?? [], outputProcessors ?? [], errorProcessors ?? []];
  return given.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
}

function tooLarge(bytes: number, limit: number): MillraceError {
  return new MillraceError('input-too-large', `The messages of this run are ${bytes} bytes; the limit is ${limit}.`, {
    path: 'MAX_INPUT_BYTES',
    remedy: 'Send less text, or send files as references.',
  });
}

function tooMany(tenant: string, runsPerSecond: number, waitMs: number): MillraceError {
  const retryAfterMs = Math.ceil(waitMs);
  return new MillraceError('too-many-runs', `"${tenant}" submits more than ${runsPerSecond} runs a second.`, {
    path: 'RUNS_PER_SECOND',
    remedy: `Submit again in ${retryAfterMs} ms, under the same run id.`,
    retryAfterMs,
  });
}
