// One run, from its command to its acknowledgement, on the orchestrator that owns it: begun, or taken over, and driven on by the same
// walk.
import {
  MillraceError,
  loggedError,
  toWireError,
  type AppliedAgent,
  type Issue,
  type StartCommand,
  type RunHead,
  type RunRef,
  type RunRequest,
  type WireError,
} from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import { chunk } from '../state/make-chunk.ts';
import type { ChunkPublisher } from '../state/chunk-publisher.ts';
import { openEpoch } from './open-epoch.ts';
import { isCancelAsked } from '../state/run-store.ts';
import { takeRun, unreadable, type Taken } from './take-run.ts';
import { takeSuspended, type ResumeCommand } from './take-suspended.ts';
import { endBroken, endRun } from './end-run.ts';
import { brokenBy, endWith, type Ending, type Outcome } from '../state/interrupt.ts';
import { runLoop } from './run-loop.ts';
import { createRun, type Deps, type Run, type RunParts } from '../state/run-context.ts';
import { agentOfRun } from '../state/run-agent.ts';
import { initialState } from '../state/run-state.ts';
import { failedRun, type EndedRun } from '../state/ended-run.ts';
import { FencedError } from '../state/fenced-error.ts';
import { OBSERVED_WITHIN_MS } from '../state/observer-queues.ts';
import { isGivenAway, type RunStop } from '../state/run-stop.ts';
import { holdCommand } from './hold-command.ts';
import { suspendRun, takeAnswers } from './suspend-run.ts';
import { takeUpHeld } from './take-up-held.ts';
import { storeEnding, type EndingParts } from '../state/store-ending.ts';
import { throughOutages } from '../state/through-outages.ts';

/** @throws FencedError; what keeps the ending from being stored: the command then comes again */
export async function driveRun(deps: Deps, delivery: Delivery, stop: RunStop): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const letGo = holdCommand(deps.access, delivery, stop, () => {
    deps.log.error(
      { tenant, runId },
      'a run went on long after its deadline: it is given up, its command will come again',
    );
    stop.fence();
  });
  try {
    const taken = isStart(delivery)
      ? await takeRun({ deps, delivery, stop })
      : isResume(delivery)
        ? await takeSuspended({ deps, delivery, stop })
        : undefined;
    if (taken) await execute({ deps, delivery, stop, ...taken });
  } finally {
    letGo();
  }
}

const isStart = (delivery: Delivery): delivery is Delivery<StartCommand> => delivery.command.command === 'start';
const isResume = (delivery: Delivery): delivery is Delivery<ResumeCommand> => delivery.command.command === 'resume';

type Driven = Taken & { deps: Deps; delivery: Delivery; stop: RunStop };

/** Drives a run on from the state that its last checkpoint left, or from its beginning. */
async function execute({ deps, delivery, stop, store, state, command, isNew }: Driven): Promise<void> {
  const { access } = deps;
  const head = store.head();
  const { tenant, runId } = head;
  const deadlineAt = performance.now() + head.deadlineAt - access.clock.now();
  const { signal, fenced } = stop;
  // Asked beside the reading of the agent: it need not be waited for alone. What is asked later the next checkpoint learns.
  const cancelAsked = isNew ? Promise.resolve(false) : isCancelAsked(access, tenant, runId);
  cancelAsked.catch(() => undefined);
  const { chunks, events, close } = openEpoch(access, store, stop);
  const parts = { access, delivery, store, chunks, events, fenced };
  let leave = async (): Promise<void> => undefined;
  let forget = (): void => undefined;
  const deadline = setTimeout(() => stop.stop('deadline'), Math.max(deadlineAt - performance.now(), 0));
  try {
    const from: Beginning | { error: WireError } = state ? { first: state } : await beginning(deps, command, chunks);
    if ('error' in from) return await storeEnding(parts, failedRun(runId, from.error));
    const { leftOut = [] } = from;
    // What was not asked stands nowhere else.
    if (leftOut.length > 0) events.record({ event: 'run', status: 'running', step: 0, detail: { leftOut } });
    const ref = refOf(from.first.request, store.head());
    const { isLeaving } = stop;
    const run = createRun({ ref, deadlineAt, deps, chunks, events, signal, isLeaving, store, ...from });
    forget = deps.driven.add(run);
    if (store.head().epoch > 1) events.record({ event: 'run', status: 'running', step: run.state().steps.length });
    if (await cancelAsked) stop.stop('cancelled');
    leave = () => endObservers(run, fenced.aborted ? 0 : OBSERVED_WITHIN_MS);
    const outcome = await drive(parts, run).catch((error: unknown) => endWith(broken(run, error)));
    // A checkpoint that was begun beside what was stopped must not meet the writes of the ending; whether it failed they find out.
    await run.saved().catch(() => undefined);
    if (fenced.aborted) throw new FencedError(tenant, runId);
    if (outcome.kind === 'suspend') return;
    const ended = outcome.kind === 'end' ? await endOf(run, outcome.ending) : undefined;
    if (ended && !isCutOff(run, outcome)) return await storeEnding(parts, ended);
    await store.write({ handedOver: true });
    await endObservers(run, 0);
    close();
    delivery.handOver();
  } finally {
    clearTimeout(deadline);
    forget();
    await leave();
    close();
  }
}

/** Nobody waits for them but here, where everything of the run is stored and told. */
async function endObservers({ observers, events, deps, ref }: Run, graceMs: number): Promise<void> {
  if (!(await observers.end(graceMs))) return;
  await events.flush().catch((error: unknown) => {
    const { runId } = ref;
    deps.log.warn({ runId, ...loggedError(error) }, 'what observers said of a run that is over could not be stored');
  });
}

/** To an ending, or to where it is put away: it is stored then. */
async function drive(parts: EndingParts, run: Run): Promise<Outcome> {
  // First what was held: what this owner says itself comes after it.
  takeUpHeld(run, parts.store.head());
  await takeAnswers(run);
  for (;;) {
    const outcome = await runLoop(run);
    if (outcome.kind !== 'suspend') return outcome;
    const put = await suspendRun(parts, run);
    if (put === 'away') return outcome;
    if (put !== 'answered') return put;
  }
}

type Beginning = Pick<RunParts, 'first' | 'unsaved'> & { leftOut?: string[] };

/** The first checkpoint writes what the run began with. Before it, that is the command and the agent as it is applied then. */
async function beginning(
  deps: Deps,
  command: StartCommand | undefined,
  chunks: ChunkPublisher,
): Promise<Beginning | { error: WireError }> {
  if (!command) return { error: unreadable };
  const { request } = command;
  const { runId, threadId, agent } = request;
  chunks.publish([chunk(runId, { type: 'start', payload: { agent, ...(threadId !== undefined && { threadId }) } })]);
  const applied = await readAgent(deps, command);
  if ('error' in applied) return applied;
  const own = agentOfRun(applied.ok, request);
  if ('issues' in own) return { error: noLongerAllowed(own.issues) };
  const begun = { action: 'begun' as const, request, applied: own.applied, firstIndex: chunks.nextIndex() };
  return { first: initialState(begun), unsaved: [begun], leftOut: own.leftOut };
}

/** It was allowed when it was submitted: the agent was applied anew since. Names alone: the caller's options stand in no message. */
function noLongerAllowed(issues: readonly Issue[]): WireError {
  const [first] = issues;
  const { message = 'The agent does not allow the overrides of this run.', ...rest } = first ?? {};
  return { ...rest, code: 'run-refused', message };
}

/** Words that were still to be judged when the run was interrupted are judged by its next owner: it comes to this end again. */
function isCutOff({ signal }: Run, outcome: Outcome): boolean {
  return isGivenAway(signal) && !(outcome.kind === 'end' && outcome.ending.form === 'finish');
}

function refOf(request: RunRequest, { epoch }: RunHead): RunRef {
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

/** What no statement of the loop expects: a bug. @throws FencedError; bus-unreachable: what cannot be written here, another owner may */
function broken(run: Run, error: unknown): Ending {
  if (error instanceof FencedError || (MillraceError.isInstance(error) && error.code === 'bus-unreachable'))
    throw error;
  const { runId } = run.ref;
  run.deps.log.error({ runId, ...loggedError(error) }, 'a run broke');
  return brokenBy(error);
}

/** An ending that breaks is an ending still: without one the command would come again for ever. */
async function endOf(run: Run, ending: Ending): Promise<EndedRun> {
  try {
    return await endRun(run, ending);
  } catch (error) {
    broken(run, error);
    return endBroken(run, error);
  }
}

/** As it was when the run was queued, or newer. */
async function readAgent(
  { agents }: Deps,
  { request, agentRevision = Infinity }: StartCommand,
): Promise<{ ok: AppliedAgent } | { error: WireError }> {
  const { tenant, agent } = request;
  try {
    const applied = await throughOutages(`agent ${agent}`, () => agents.atLeast(tenant, agent, agentRevision));
    if (applied) return { ok: applied };
    return { error: { code: 'agent-unknown', message: `There is no agent "${agent}".` } };
  } catch (error) {
    return { error: toWireError(error) };
  }
}
