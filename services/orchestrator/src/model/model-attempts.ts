// The calls of a step's models: keeps their failures in the state of the run, so that the next owner continues with the same candidate.
import { listCandidates, readFirstModel, type AttemptFailure, type ModelCandidate } from '@millrace/contracts';
import { classifyFailure, type Models } from '@millrace/models';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { storeBeforeRetract } from '../transcript/store-before-retract.ts';
import type { StepModelCall } from './step-call.ts';
import { chooseAttempt, endsRun } from './choose-attempt.ts';
import type { ModelFailure } from './model-stream.ts';
import { FOLLOWED_LIMITS, LAST_LIMITS } from './watch-silence.ts';

/** `failure`: the last one. `message`: each model with its failure. */
export type FailedAttempts = { failure: ModelFailure; message: string };

export type Attempts = {
  chooseNext(): { call: StepModelCall; waitMs: number } | { failed: FailedAttempts };
  /** Returns whether the chosen call may be made now. */
  enter(): Promise<boolean>;
  /** Reports that the call has ended: with an answer, or without a result for its model. */
  leave(isAnswered: boolean): void;
  /** Stores the failure, before the text from the index is retracted. @returns the interrupt of the run */
  recordFailure(failure: ModelFailure, from: number): Promise<Interrupt | undefined>;
};

export function createAttempts(run: Run, request: StepModelCall): Attempts {
  const candidates = listUsed(run, request);
  const seen = new Map<number, ModelFailure>();
  const { circuits, models } = run.deps;
  const routes = circuits ? candidates.map(({ use }) => identifyRoute(models, use)) : [];
  const findCircuit = () => {
    const route = request.cached ? '' : (routes[current] ?? '');
    return route === '' ? undefined : route;
  };
  let current = 0;
  let isCalled = false;
  let owner = '';
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
        now: run.deps.access.clock.now(),
        random: Math.random,
        readOpenUntil: (place) => (routes[place] ? circuits?.readOpenUntil(routes[place]) : undefined),
      });
      const candidate = next.kind === 'ask' ? candidates[next.candidate] : undefined;
      if (next.kind === 'end' || !candidate)
        return { failed: describeFailures(run, { candidates, routes, failures: readFailures(), seen }) };
      current = next.candidate;
      return { call: applyCandidate(request, candidate, current === candidates.length - 1), waitMs: next.waitMs };
    },
    async enter() {
      owner = `${run.ref.runId}.${run.ref.epoch}.${run.getState().modelCalls}`;
      const route = findCircuit();
      return route === undefined || (await circuits?.enter(route, owner)) !== false;
    },
    leave(isAnswered) {
      const route = findCircuit();
      if (route === undefined) return;
      if (isAnswered) circuits?.recordSuccess(route, owner);
      else circuits?.release(route, owner);
    },
    async recordFailure(failure, from) {
      seen.set(current, failure);
      const { error, code, retryAfterMs } = failure;
      const cause = classifyFailure(error, code);
      if (cause === 'unauthorized') reportKey(run, candidates[current], failure);
      const retryAt = retryAfterMs === undefined ? undefined : run.deps.access.clock.now() + retryAfterMs;
      const route = findCircuit();
      if (route !== undefined) circuits?.recordFailure(route, owner, { cause, retryAt });
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

/** Returns the empty route for a model without a provider: its call fails by itself. */
function identifyRoute(models: Models, id: string): string {
  try {
    return models.identifyRoute(id);
  } catch {
    return '';
  }
}

type CandidateStates = {
  candidates: readonly ModelCandidate[];
  routes: readonly string[];
  failures: readonly AttemptFailure[];
  /** By candidate, as far as this owner of the run has called them. */
  seen: ReadonlyMap<number, ModelFailure>;
};

/** Names each candidate with its last failure, or with the time until which it is not asked. */
function describeFailures(run: Run, { candidates, routes, failures, seen }: CandidateStates): FailedAttempts {
  const last = failures.at(-1);
  const describe = ({ use }: ModelCandidate, place: number): string[] => {
    const cause = failures.findLast(({ candidate }) => candidate === place)?.cause;
    const error = seen.get(place)?.error;
    const status = error?.statusCode === undefined ? '' : ` (${error.statusCode})`;
    if (error) return [`${use}: ${error.message}${status}`];
    // A lost owner of the run made the call.
    if (cause) return [`${use}: the call failed (${cause})`];
    const circuit = routes[place] ? run.deps.circuits?.read(routes[place]) : undefined;
    if (circuit?.state !== 'open') return [];
    return [`${use}: not asked until ${new Date(circuit.until).toISOString()} after failures (${circuit.cause})`];
  };
  const message = candidates.flatMap(describe).join('; ');
  const failure = last && seen.get(last.candidate);
  const isOne =
    candidates.length === 1 || (last !== undefined && endsRun(last, run.agent.failover?.onRefusal ?? false));
  if (failure && isOne) return { failure, message };
  const error = failure?.error ?? { name: 'Error', message, isRetryable: false };
  return { failure: { error, code: 'models-unavailable' }, message };
}
