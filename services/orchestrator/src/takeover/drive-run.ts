// Drives a run on its owner, from its command to its ack: starts it or takes it over, runs the loop, stores the ending,
// acks the command.
import {
  MillraceError,
  toLoggedError,
  toWireError,
  type AppliedAgent,
  type Issue,
  type StartCommand,
  type RunEnd,
  type RunHead,
  type RunRef,
  type RunRequest,
  type WireError,
} from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import { makeChunk } from '../transcript/make-chunk.ts';
import type { ChunkPublisher } from '../transcript/chunk-publisher.ts';
import { openEpoch } from './open-epoch.ts';
import { isCancelAsked } from '../state/run-store.ts';
import { claimRun, unreadable, type ClaimedRun } from './claim-run.ts';
import { claimSuspended, type ResumeCommand } from './claim-suspended.ts';
import { endBroken, endRun } from '../run/end-run.ts';
import { isEnding, toBrokenEnding, type Ending, type RunOutcome } from '../state/interrupt.ts';
import { runLoop } from '../run/run-loop.ts';
import { createRun, type Deps, type Run, type RunParts } from '../state/run-context.ts';
import { resolveRunAgent } from '../settings/run-agent.ts';
import { createInitialState } from '../state/run-state.ts';
import { createFailedRun } from '../state/failed-run.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { OBSERVED_WITHIN_MS } from '../state/observer-queues.ts';
import { isGivenAway, type RunStop } from '../state/run-stop.ts';
import { extendAck } from './extend-ack.ts';
import { suspendRun, takeAnswers } from './suspend-run.ts';
import { getOwner } from '../head/run-head.ts';
import { createChangeLog } from '../changes/change-log.ts';
import { storeChanges } from './store-changes.ts';
import { storeEnding, type EndingParts } from './store-ending.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** @throws FencedError, or the reason for which the ending cannot be stored: the command is redelivered */
export async function driveRun(deps: Deps, delivery: Delivery, stop: RunStop): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const letGo = extendAck(deps.access, delivery, stop, () => {
    deps.log.error(
      { tenant, runId },
      'run abandoned: still active long after its deadline, its command is redelivered',
    );
    stop.fence();
  });
  try {
    const taken = isStart(delivery)
      ? await claimRun({ deps, delivery, stop })
      : isResume(delivery)
        ? await claimSuspended({ deps, delivery, stop })
        : undefined;
    if (taken) await execute({ deps, delivery, stop, ...taken });
  } finally {
    letGo();
  }
}

const isStart = (delivery: Delivery): delivery is Delivery<StartCommand> => delivery.command.command === 'start';
const isResume = (delivery: Delivery): delivery is Delivery<ResumeCommand> => delivery.command.command === 'resume';

type DrivenClaim = ClaimedRun & { deps: Deps; delivery: Delivery; stop: RunStop };

/** Runs the loop from the state of the last checkpoint, or from the beginning. */
async function execute({
  deps,
  delivery,
  stop,
  store,
  state,
  command,
  isNew,
  isRecovered = false,
}: DrivenClaim): Promise<void> {
  const { access } = deps;
  const head = store.getHead();
  const { tenant, runId } = head;
  const deadlineAt = performance.now() + head.deadlineAt - access.clock.now();
  const { signal, fenced } = stop;
  // Read concurrently with the agent. The next checkpoint detects a later cancel.
  const cancelAsked = isNew ? Promise.resolve(false) : isCancelAsked(access, tenant, runId);
  cancelAsked.catch(() => undefined);
  const disown = deps.driven.own(head, fenced);
  const { chunks, events, close } = openEpoch(access, store, stop);
  const parts = { access, delivery, store, chunks, events, fenced };
  let leave = async (): Promise<void> => undefined;
  let forget = (): void => undefined;
  const deadline = setTimeout(() => stop.stop('deadline'), Math.max(deadlineAt - performance.now(), 0));
  try {
    const from: Beginning | { error: WireError } = state
      ? { first: state }
      : await prepareBeginning(deps, command, chunks);
    if ('error' in from) return await storeEnding(parts, createFailedRun(runId, from.error));
    const { leftOut = [] } = from;
    // The event is the only record of the entries that were left out.
    if (leftOut.length > 0) events.record({ event: 'run', status: 'running', step: 0, detail: { leftOut } });
    const ref = makeRef(from.first.request, store.getHead());
    const { isLeaving } = stop;
    const changes = from.first.applied.agent.record ? createChangeLog() : undefined;
    const own = { ref, deadlineAt, deps, chunks, events, signal, isLeaving, store, changes, isRecovered };
    const run = createRun({ ...own, ...from });
    forget = deps.driven.add(run);
    if (store.getHead().epoch > 1)
      events.record({ event: 'run', status: 'running', step: run.getState().steps.length });
    if ((await cancelAsked) || deps.erasures?.isErased(store.getHead())) stop.stop('cancelled');
    leave = () => endObservers(run, fenced.aborted ? 0 : OBSERVED_WITHIN_MS);
    const outcome = await drive(parts, run).catch((error: unknown) => failBroken(run, error));
    // A concurrent checkpoint must not interleave with the writes of the ending. If it failed, those writes fail too.
    await run.awaitCheckpoint().catch(() => undefined);
    if (fenced.aborted) throw new FencedError(tenant, runId);
    if (outcome.form === 'suspend') return;
    const ended = isEnding(outcome) ? await makeEnd(run, outcome) : undefined;
    if (ended && !isCutOff(run, outcome)) {
      await storeChanges(run, ended.result.status === 'finished' && isAccepted(outcome) ? 'accepted' : 'rejected');
      return await storeEnding(parts, ended);
    }
    await storeChanges(run, 'partial');
    await store.write({ handedOver: true });
    await endObservers(run, 0);
    close();
    delivery.handOver();
  } finally {
    clearTimeout(deadline);
    disown();
    forget();
    await leave();
    close();
  }
}

/** Waits for the observers. The run's ending is stored and published by then. */
async function endObservers({ observers, events, deps, ref }: Run, graceMs: number): Promise<void> {
  if (!(await observers.end(graceMs))) return;
  await events.flush().catch((error: unknown) => {
    const { runId } = ref;
    deps.log.warn(
      { runId, ...toLoggedError(error) },
      'events of observers lost: the run has ended and they could not be stored',
    );
  });
}

/** Runs the loop until the run ends or is suspended; the suspension is stored then. */
async function drive(parts: EndingParts, run: Run): Promise<RunOutcome> {
  // Restores the buffered chunks first: this owner's own chunks follow them.
  run.transcript.restore(getOwner(parts.store.getHead()).index);
  await takeAnswers(run);
  for (;;) {
    const outcome = await runLoop(run);
    if (outcome.form !== 'suspend') return outcome;
    const put = await suspendRun(parts, run);
    if (put === 'away') return outcome;
    if (put !== 'answered') return put;
  }
}

const isAccepted = (outcome: RunOutcome): boolean => outcome.form === 'finish';

type Beginning = Pick<RunParts, 'first' | 'unsaved'> & { leftOut?: string[] };

/** Returns the first state: before the first checkpoint, that is the command and the currently applied agent. */
async function prepareBeginning(
  deps: Deps,
  command: StartCommand | undefined,
  chunks: ChunkPublisher,
): Promise<Beginning | { error: WireError }> {
  if (!command) return { error: unreadable };
  const { request } = command;
  const { runId, threadId, agent } = request;
  chunks.publish([
    makeChunk(runId, { type: 'start', payload: { agent, ...(threadId !== undefined && { threadId }) } }),
  ]);
  const applied = await readAgent(deps, command);
  if ('error' in applied) return applied;
  const own = resolveRunAgent(applied.ok, request);
  if ('issues' in own) return { error: createNotAllowedError(own.issues) };
  const begun = { action: 'begun' as const, request, applied: own.applied, firstIndex: chunks.getNextIndex() };
  return { first: createInitialState(begun), unsaved: [begun], leftOut: own.leftOut };
}

/**
 * The submission allowed the overrides, but the agent was applied again since. The error has names only: no message
 * quotes the caller's options.
 */
function createNotAllowedError(issues: readonly Issue[]): WireError {
  const [first] = issues;
  const { message = 'The agent does not allow the overrides of this run.', ...rest } = first ?? {};
  return { ...rest, code: 'run-refused', message };
}

/**
 * Returns whether the run was interrupted before its last texts were judged: the next owner judges them and reaches
 * this end again.
 */
function isCutOff({ signal }: Run, outcome: RunOutcome): boolean {
  return isGivenAway(signal) && !(outcome.form === 'finish');
}

function makeRef(request: RunRequest, { epoch }: RunHead): RunRef {
  const { tenant, runId, agent, threadId, resourceId } = request;
  return {
    tenant,
    runId,
    agent,
    epoch,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
  };
}

/**
 * Handles an error that no statement of the loop expects: a bug. @throws FencedError, and bus-unreachable, because
 * another owner may be able to write
 */
function failBroken(run: Run, error: unknown): Ending {
  if (error instanceof FencedError || (MillraceError.isInstance(error) && error.code === 'bus-unreachable'))
    throw error;
  const { runId } = run.ref;
  run.deps.log.error({ runId, ...toLoggedError(error) }, 'a run broke');
  return toBrokenEnding(error);
}

/**
 * Builds the ending. If that throws, the run ends as broken: without an ending its command would be redelivered for
 * ever.
 */
async function makeEnd(run: Run, ending: Ending): Promise<RunEnd> {
  try {
    return await endRun(run, ending);
  } catch (error) {
    failBroken(run, error);
    return endBroken(run, error);
  }
}

/** Reads the agent at the revision of the submission or a newer one. */
async function readAgent(
  { agents }: Deps,
  { request, agentRevision = Infinity }: StartCommand,
): Promise<{ ok: AppliedAgent } | { error: WireError }> {
  const { tenant, agent } = request;
  try {
    const applied = await retryThroughOutages(`agent ${agent}`, () => agents.getAtLeast(tenant, agent, agentRevision));
    if (applied) return { ok: applied };
    return { error: { code: 'agent-unknown', message: `There is no agent "${agent}".` } };
  } catch (error) {
    return { error: toWireError(error) };
  }
}
