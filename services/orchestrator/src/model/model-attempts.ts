// The calls of a step's models: keeps their failures in the state of the run, so that the next owner continues with the same candidate.
import { listCandidates, readFirstModel, type FailureCause, type ModelCandidate } from '@millrace/contracts';
import { classifyFailure } from '@millrace/models';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { storeBeforeRetract } from '../transcript/store-before-retract.ts';
import type { StepModelCall } from './step-call.ts';
import { chooseAttempt } from './choose-attempt.ts';
import type { ModelFailure } from './model-stream.ts';
import { FOLLOWED_LIMITS, LAST_LIMITS } from './watch-silence.ts';

/** `failure`: the last one. `message`: each model with its failure. */
export type FailedAttempts = { failure: ModelFailure; message: string };

export type Attempts = {
  chooseNext(): { call: StepModelCall; waitMs: number } | { failed: FailedAttempts };
  /** Stores the failure, before the text from the index is retracted. @returns the interrupt of the run */
  recordFailure(failure: ModelFailure, from: number): Promise<Interrupt | undefined>;
};

export function createAttempts(run: Run, request: StepModelCall): Attempts {
  const candidates = listUsed(run, request);
  const seen = new Map<number, ModelFailure>();
  let current = 0;
  let isCalled = false;
  const readFailures = () => run.getState().open?.failures ?? [];
  return {
    chooseNext() {
      if (request.cached && !isCalled) {
        isCalled = true;
        return { call: request, waitMs: 0 };
      }
      const next = chooseAttempt(readFailures(), {
        candidates,
        onRefusal: run.agent.failover?.onRefusal ?? false,
        remainingMs: run.deadlineAt - performance.now(),
        now: Date.now(),
        random: Math.random,
      });
      const candidate = next.kind === 'ask' ? candidates[next.candidate] : undefined;
      if (next.kind === 'end' || !candidate) return { failed: describeFailures(candidates, readFailures(), seen) };
      current = next.candidate;
      return { call: applyCandidate(request, candidate, current === candidates.length - 1), waitMs: next.waitMs };
    },
    async recordFailure(failure, from) {
      seen.set(current, failure);
      const { error, code, retryAfterMs } = failure;
      const cause = classifyFailure(error, code);
      if (cause === 'unauthorized') reportKey(run, candidates[current], failure);
      const retryAt = retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs;
      run.dispatch({
        action: 'model-failed',
        failure: { candidate: current, cause, ...(retryAt !== undefined && { retryAt }) },
      });
      // The record must not have the buffered text of the call: the next owner would publish it.
      run.transcript.discard(from);
      await storeBeforeRetract(run, from);
      return run.checkInterruption();
    },
  };
}

/** A model that a processor has chosen is the only candidate. */
function listUsed({ agent }: Run, { model }: StepModelCall): ModelCandidate[] {
  return model === readFirstModel(agent) ? listCandidates(agent.model) : [{ use: model }];
}

/** Applies what the agent sets for one candidate. */
function applyCandidate(request: StepModelCall, candidate: ModelCandidate, isLast: boolean): StepModelCall {
  const { use, settings, providerOptions, firstTokenMs, idleMs } = candidate;
  const limits = isLast ? LAST_LIMITS : FOLLOWED_LIMITS;
  return {
    ...request,
    model: use,
    limits: { firstTokenMs: firstTokenMs ?? limits.firstTokenMs, idleMs: idleMs ?? limits.idleMs },
    modelSettings: { ...request.modelSettings, ...settings },
    providerOptions: providerOptions ? { ...request.providerOptions, ...providerOptions } : request.providerOptions,
  };
}

function reportKey({ ref, deps }: Run, candidate: ModelCandidate | undefined, { error }: ModelFailure): void {
  const { tenant, runId } = ref;
  const { statusCode: status, message } = error;
  deps.log.error({ tenant, runId, model: candidate?.use, status, error: message }, 'the provider refuses the key');
}

function describeFailures(
  candidates: readonly ModelCandidate[],
  failures: readonly { candidate: number; cause: FailureCause }[],
  seen: ReadonlyMap<number, ModelFailure>,
): FailedAttempts {
  const asked = [...new Set(failures.map(({ candidate }) => candidate))];
  const last = failures.at(-1);
  const describe = (place: number) => {
    const cause = failures.findLast(({ candidate }) => candidate === place)?.cause;
    const error = seen.get(place)?.error;
    const status = error?.statusCode === undefined ? '' : ` (${error.statusCode})`;
    // A lost owner of the run made the call.
    return `${candidates[place]?.use}: ${error ? `${error.message}${status}` : `the call failed (${cause})`}`;
  };
  const failure = last && seen.get(last.candidate);
  const message = asked.map(describe).join('; ');
  return { failure: failure ?? { error: { name: 'Error', message, isRetryable: false } }, message };
}
