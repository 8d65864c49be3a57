// One run, from its command to its acknowledgement, on the orchestrator that owns it: whoever creates the head entry does.
import {
  agentKey,
  appliedAgentSchema,
  loggedError,
  toWireError,
  type AppliedAgent,
  type Command,
  type RunHead,
  type RunRef,
  type WireError,
} from '@millrace/contracts';
import { readEntry, type Delivery } from '@millrace/bus';
import { chunk } from '../state/make-chunk.ts';
import { beginRun } from './begin-run.ts';
import { createChunkPublisher } from '../state/chunk-publisher.ts';
import { endBroken, endRun, failedRun, type Ended } from './end-run.ts';
import { createEventLog } from '../state/event-log.ts';
import { brokenBy, type Ending } from '../state/interrupt.ts';
import { runLoop } from './run-loop.ts';
import { createRun, type Deps, type Run } from '../state/run-context.ts';
import { initialState } from '../state/run-state.ts';
import { FencedError } from '../state/fenced-error.ts';
import type { RunStop } from '../state/run-stop.ts';
import type { RunStore } from '../state/run-store.ts';
import { holdCommand } from './hold-command.ts';
import { storeEnding } from './store-ending.ts';
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
    const store = await beginRun({ deps, delivery, stop });
    if (store) await execute(deps, delivery, store, stop);
  } finally {
    letGo();
  }
}

async function execute(deps: Deps, delivery: Delivery, store: RunStore, stop: RunStop): Promise<void> {
  const { access } = deps;
  const { request } = delivery.command;
  const { tenant, runId, threadId } = request;
  const { epoch, deadlineAt } = store.head();
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: 0 });
  const events = createEventLog({ access, tenant, runId, epoch });
  stop.own(epoch);
  const { signal, fenced } = stop;
  const parts = { access, delivery, store, chunks, events, fenced };
  const deadline = setTimeout(() => stop.stop('deadline'), Math.max(deadlineAt - Date.now(), 0));
  const close = () => {
    chunks.close();
    events.close();
  };
  fenced.addEventListener('abort', close, { once: true });
  if (fenced.aborted) close();
  try {
    const payload = { agent: request.agent, ...(threadId !== undefined && { threadId }) };
    chunks.publish([chunk(runId, { type: 'start', payload })]);
    const applied = await readAgent(deps, delivery.command);
    if ('error' in applied) return await storeEnding(parts, failedRun(runId, applied.error));
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
    if (await store.cancelAsked()) stop.stop('cancelled');
    const ending = await runLoop(run).catch((error: unknown) => broken(run, error));
    if (fenced.aborted) throw new FencedError(tenant, runId);
    await storeEnding(parts, await endOf(run, ending));
  } finally {
    clearTimeout(deadline);
    fenced.removeEventListener('abort', close);
    close();
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
  run.deps.log.error({ runId, ...loggedError(error) }, 'a run broke');
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
