// One run, from its command to its acknowledgement, on the orchestrator that owns it: whoever creates the head entry does.
import {
  agentKey,
  appliedAgentSchema,
  toWireError,
  type AppliedAgent,
  type Command,
  type RunHead,
  type RunRef,
  type WireError,
} from '@millrace/contracts';
import { conflictError, readEntry, type Delivery } from '@millrace/bus';
import { chunk } from '../state/make-chunk.ts';
import { answerRedelivery } from './begun-run.ts';
import { createChunkPublisher } from '../state/chunk-publisher.ts';
import { endBroken, endRun, type Ended } from './end-run.ts';
import { createEventLog } from '../state/event-log.ts';
import { failedRun } from './end-run.ts';
import { brokenBy, type Ending } from '../state/interrupt.ts';
import { runLoop } from './run-loop.ts';
import { createRun, type Deps, type Run, type StopReason } from '../state/run-context.ts';
import { initialState } from '../state/run-state.ts';
import { FencedError } from '../state/fenced-error.ts';
import { openRunStore, readHead, type RunStore } from '../state/run-store.ts';
import { settleRun } from './settle-run.ts';
import { throughOutages } from '../state/through-outages.ts';

/** How often the acknowledgement is extended, ms: well within the queue's own wait. */
const EXTEND_MS = 3_000;

/** @throws FencedError; what keeps the ending from being stored: the command then comes again */
export async function driveRun(deps: Deps, delivery: Delivery, stop: AbortController): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const there = await readHead(deps.access, tenant, runId);
  if (there) return answerRedelivery(deps, delivery, there.value, there.revision);
  const store = await openRunStore(deps.access, firstHead(delivery), 0);
  if (!store) return answerOther(deps, delivery);
  const letGo = keepExtending(delivery, stop.signal);
  try {
    await execute(deps, delivery, store, stop);
  } finally {
    letGo();
  }
}

/** Somebody else began the run in between. */
async function answerOther(deps: Deps, delivery: Delivery): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const there = await readHead(deps.access, tenant, runId);
  if (!there) throw conflictError(`${tenant}.${runId}`);
  return answerRedelivery(deps, delivery, there.value, there.revision);
}

/** Until the run is over. An owner that was fenced says nothing more to the queue: its word would count for the new one. */
function keepExtending(delivery: Delivery, signal: AbortSignal): () => void {
  const extend = () => {
    if (signal.reason === ('fenced' satisfies StopReason)) return clearInterval(extending);
    try {
      delivery.extend();
    } catch {
      // The connection is closing, and with it this process: the command comes again, elsewhere.
      clearInterval(extending);
    }
  };
  const extending = setInterval(extend, EXTEND_MS);
  return () => clearInterval(extending);
}

function firstHead({ command, sequence }: Delivery): RunHead {
  const { tenant, runId, deadlineMs } = command.request;
  return {
    tenant,
    runId,
    status: 'running',
    epoch: 1,
    write: 0,
    command: sequence,
    records: 0,
    nextIndex: 0,
    bases: [{ epoch: 1, index: 0 }],
    startedAt: Date.now(),
    deadlineAt: command.submittedAt + deadlineMs,
  };
}

async function execute(deps: Deps, delivery: Delivery, store: RunStore, stop: AbortController): Promise<void> {
  const { access } = deps;
  const { request } = delivery.command;
  const { tenant, runId, threadId } = request;
  const { epoch, deadlineAt } = store.head();
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: 0 });
  const events = createEventLog({ access, tenant, runId, epoch });
  const settling = { delivery, store, chunks, events, maxPayload: access.bus.maxPayload() };
  const deadline = setTimeout(() => stop.abort('deadline' satisfies StopReason), Math.max(deadlineAt - Date.now(), 0));
  const { signal } = stop;
  const isFenced = () => signal.reason === ('fenced' satisfies StopReason);
  signal.addEventListener('abort', () => isFenced() && chunks.close(), { once: true });
  try {
    const payload = { agent: request.agent, ...(threadId !== undefined && { threadId }) };
    chunks.publish([chunk(runId, { type: 'start', payload })]);
    const applied = await readAgent(deps, delivery.command);
    if ('error' in applied) return await settleRun(settling, failedRun(runId, applied.error));
    const first = initialState({ request, applied: applied.ok });
    const { agent, plan } = applied.ok;
    const run = createRun({
      ref: refOf(request, store.head()),
      deadlineAt,
      agent,
      plan,
      deps,
      chunks,
      events,
      signal,
      store,
      first,
    });
    if (await store.cancelAsked()) stop.abort('cancelled' satisfies StopReason);
    const ending = await runLoop(run).catch((error: unknown) => broken(run, error));
    if (isFenced()) throw new FencedError(tenant, runId);
    await settleRun(settling, await endOf(run, ending));
  } finally {
    clearTimeout(deadline);
    chunks.close();
  }
}

function refOf(request: Command['request'], { epoch }: RunHead): RunRef {
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

/** What no statement of the loop expects: a bug, or a bus that stays away. @throws FencedError */
function broken(run: Run, error: unknown): Ending {
  if (error instanceof FencedError) throw error;
  const { runId } = run.ref;
  const stack = error instanceof Error ? error.stack : undefined;
  run.deps.log.error({ runId, error: String(error), stack }, 'a run broke');
  return brokenBy(error);
}

/** An ending that breaks is an ending still: without one the command would come again for ever. */
async function endOf(run: Run, ending: Ending): Promise<Ended> {
  try {
    return await endRun(run, ending);
  } catch (error) {
    broken(run, error);
    return endBroken(run, error);
  }
}

async function readAgent({ access }: Deps, { request }: Command): Promise<{ ok: AppliedAgent } | { error: WireError }> {
  const { tenant, agent } = request;
  try {
    const entry = await throughOutages(`agent ${agent}`, () =>
      readEntry(access, access.bus.names.agents, agentKey(tenant, agent), appliedAgentSchema),
    );
    if (entry) return { ok: entry.value };
    return { error: { code: 'agent-unknown', message: `There is no agent "${agent}".` } };
  } catch (error) {
    return { error: toWireError(error) };
  }
}
