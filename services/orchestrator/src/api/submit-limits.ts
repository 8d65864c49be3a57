// Limits a tenant's submissions: bytes of a run, bytes of its runs in the queue, runs per second. An eighth more of the last two is for
// callers that use less than an eighth, so that one caller does not use up all of its tenant's. Each orchestrator
// counts its own submissions, so a tenant's limits over all orchestrators are a multiple of these.
import { MillraceError, type RunParty, type RunRequest } from '@millrace/contracts';

export type SubmitLimits = {
  /** UTF-8 bytes of the messages, the context, the overrides, the schema and the settings as JSON. */
  maxInputBytes: number;
  runsPerSecond: number;
  /** UTF-8 bytes of a tenant's runs that wait or are in flight. */
  maxQueuedBytes: number;
};

/** Window of runs that a tenant may submit at once, ms. */
const BURST_MS = 1_000;
/** Maximum number of counted rates; one without a submission for the burst's time needs no count. */
const MAX_RATES = 10_000;
/** The part of a limit that a tenant has on top, for callers that use less than this part. */
const SHARE = 1 / 8;

export type SubmitGuard = {
  /** @throws input-too-large; too-many-runs and queue-full with retryAfterMs */
  check(request: RunRequest, party: RunParty): void;
};

/** @param countQueuedBytes of the runs of a tenant and of a caller in the queue */
export function createSubmitGuard(
  limits: SubmitLimits,
  countQueuedBytes: (party: RunParty) => { tenant: number; caller: number },
  now: () => number = () => performance.now(),
): SubmitGuard {
  const { maxInputBytes, runsPerSecond, maxQueuedBytes } = limits;
  const tenants = createRates(runsPerSecond);
  const callers = createRates(runsPerSecond * SHARE);
  const shares = createRates(runsPerSecond * SHARE);
  return {
    check(request, { tenant, caller }) {
      const bytes = countInputBytes(request);
      if (bytes > maxInputBytes) throw createQueueFullError(bytes, maxInputBytes);
      const queued = countQueuedBytes({ tenant, caller });
      const share = maxQueuedBytes * SHARE;
      const further = queued.caller + bytes <= share ? share : 0;
      if (queued.tenant + bytes > maxQueuedBytes + further) throw queueFull(tenant, maxQueuedBytes);
      const at = now();
      const party = `${tenant}.${caller}`;
      const isLight = callers.take(party, at) <= 0;
      const early = tenants.take(tenant, at);
      if (early > 0 && !(isLight && shares.take(tenant, at) <= 0))
        throw createTooManyRequestsError(tenant, runsPerSecond, early);
    },
  };
}

type Rates = {
  /** Pays for a submission. Returns the time until one can be paid for, in ms, or at most 0. */
  take(name: string, at: number): number;
};

function createRates(perSecond: number): Rates {
  const intervalMs = 1_000 / perSecond;
  const burstMs = Math.max(BURST_MS, intervalMs);
  /** By name: the time up to which submissions are paid for, the oldest first. */
  const paidUntil = new Map<string, number>();
  const forget = (at: number) => {
    for (const [name, until] of paidUntil) {
      if (until > at && paidUntil.size <= MAX_RATES) return;
      paidUntil.delete(name);
    }
  };
  return {
    take(name, at) {
      const until = Math.max(paidUntil.get(name) ?? at, at) + intervalMs;
      const early = until - at - burstMs;
      if (early > 0) return early;
      paidUntil.delete(name);
      paidUntil.set(name, until);
      forget(at);
      return early;
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
