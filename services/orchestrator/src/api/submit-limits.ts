// Limits a tenant's submissions: bytes of a run, bytes of its runs in the queue, runs per second. Each orchestrator
// counts its own submissions, so a tenant's limits over all orchestrators are a multiple of these.
import { MillraceError, type RunRequest } from '@millrace/contracts';

export type SubmitLimits = {
  /** UTF-8 bytes of the messages, the context, the overrides, the schema and the settings as JSON. */
  maxInputBytes: number;
  runsPerSecond: number;
  /** UTF-8 bytes of a tenant's runs that wait or are in flight. */
  maxQueuedBytes: number;
};

/** Window of runs that a tenant may submit at once, ms. */
const BURST_MS = 1_000;
/** Maximum number of counted tenants; a tenant without a submission for the burst's time needs no count. */
const MAX_TENANTS = 10_000;

export type SubmitGuard = {
  /** @throws input-too-large; too-many-runs and queue-full with retryAfterMs */
  check(request: RunRequest): void;
};

/** @param countQueuedBytes of a tenant's runs in the queue */
export function createSubmitGuard(
  limits: SubmitLimits,
  countQueuedBytes: (tenant: string) => number,
  now: () => number = () => performance.now(),
): SubmitGuard {
  const { maxInputBytes, runsPerSecond, maxQueuedBytes } = limits;
  const intervalMs = 1_000 / runsPerSecond;
  const burstMs = Math.max(BURST_MS, intervalMs);
  /** By tenant: the time up to which submissions are paid for, the oldest first. */
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
      const bytes = countInputBytes(request);
      if (bytes > maxInputBytes) throw createQueueFullError(bytes, maxInputBytes);
      if (countQueuedBytes(tenant) + bytes > maxQueuedBytes) throw queueFull(tenant, maxQueuedBytes);
      const at = now();
      const until = Math.max(paidUntil.get(tenant) ?? at, at) + intervalMs;
      const early = until - at - burstMs;
      if (early > 0) throw createTooManyRequestsError(tenant, runsPerSecond, early);
      paidUntil.delete(tenant);
      paidUntil.set(tenant, until);
      forget(at);
    },
  };
}

function countInputBytes(request: RunRequest): number {
  const { messages, requestContext, inputProcessors, outputProcessors, errorProcessors } = request;
  const { structuredOutput, modelSettings, clientTools } = request;
  const lists = [inputProcessors, outputProcessors, errorProcessors];
  const given = [messages, requestContext, ...lists, structuredOutput, modelSettings, clientTools];
  return given
    .filter((one) => one !== undefined)
    .reduce<number>((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
}

function createQueueFullError(bytes: number, limit: number): MillraceError {
  return new MillraceError('input-too-large', `The messages of this run are ${bytes} bytes; the limit is ${limit}.`, {
    path: 'MAX_INPUT_BYTES',
    remedy: 'Send less text, or send files as references.',
  });
}

/** Runs take seconds: some of the queued ones end within this time. */
const FULL_RETRY_AFTER_MS = 2_000;

function queueFull(tenant: string, limit: number): MillraceError {
  return new MillraceError(
    'queue-full',
    `The runs of "${tenant}" that wait or are in flight may have ${limit} bytes.`,
    {
      path: 'MAX_QUEUED_BYTES',
      remedy: 'Submit again when some of them have ended, send less text, or send files as references.',
      retryAfterMs: FULL_RETRY_AFTER_MS,
    },
  );
}

function createTooManyRequestsError(tenant: string, runsPerSecond: number, waitMs: number): MillraceError {
  const retryAfterMs = Math.ceil(waitMs);
  return new MillraceError('too-many-runs', `"${tenant}" submits more than ${runsPerSecond} runs a second.`, {
    path: 'RUNS_PER_SECOND',
    remedy: `Submit again in ${retryAfterMs} ms, under the same run id.`,
    retryAfterMs,
  });
}
