// One run, from its command to its acknowledgement, on the orchestrator that owns it: whoever creates the head entry does.
import {
  agentKey,
  appliedAgentSchema,
  toWireError,
  type Command,
  type RunHead,
  type RunRef,
} from '@millrace/contracts';
import { readEntry, type Delivery } from '@millrace/bus';
import { chunk } from '../step/model-parts.ts';
import { answerRedelivery, failedBeforeStart } from './begun-run.ts';
import { createChunkPublisher } from './chunk-publisher.ts';
import { endRun } from './ending.ts';
import { createEventLog } from './event-log.ts';
import { runLoop } from './run-loop.ts';
import { createRun, type Deps, type StopReason } from './run.ts';
import { initialState } from './run-state.ts';
import { FencedError, openRunStore, readHead, type RunStore } from './run-store.ts';
import { settleRun } from './settle-run.ts';

/** How often the acknowledgement is extended, ms: well within the queue's own wait. */
const EXTEND_MS = 3_000;

export async function driveRun(deps: Deps, delivery: Delivery, stop: AbortController): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const there = await readHead(deps.access, tenant, runId);
  if (there) return answerRedelivery(deps, delivery, there.value, there.revision);
  const store = await openRunStore(deps.access, firstHead(delivery), 0);
  if (!store) return driveRun(deps, delivery, stop);
  const extending = setInterval(() => delivery.extend(), EXTEND_MS);
  try {
    await execute(deps, delivery, store, stop);
  } finally {
    clearInterval(extending);
  }
}

function firstHead({ command, sequence }: Delivery): RunHead {
  const { tenant, runId, deadlineMs } = command.request;
  const startedAt = Date.now();
  const deadlineAt = command.submittedAt + deadlineMs;
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
    startedAt,
    deadlineAt,
  };
}

async function execute(deps: Deps, delivery: Delivery, store: RunStore, stop: AbortController): Promise<void> {
  const { request } = delivery.command;
  const { tenant, runId } = request;
  const { epoch, deadlineAt } = store.head();
  const chunks = createChunkPublisher({ access: deps.access, tenant, runId, epoch, firstIndex: 0 });
  const events = createEventLog({ access: deps.access, tenant, runId, epoch });
  const deadline = setTimeout(() => stop.abort('deadline' satisfies StopReason), Math.max(deadlineAt - Date.now(), 0));
  try {
    chunks.publish([
      chunk(runId, {
        type: 'start',
        payload: { agent: request.agent, ...(request.threadId !== undefined && { threadId: request.threadId }) },
      }),
    ]);
    const applied = await readAgent(deps, delivery.command);
    if ('error' in applied)
      return await settleRun(delivery, store, { chunks, events }, failedBeforeStart(runId, applied.error));
    const ref: RunRef = {
      tenant,
      runId,
      agent: request.agent,
      epoch,
      resourceId: request.resourceId ?? tenant,
      deadlineAt,
      ...(request.threadId !== undefined && { threadId: request.threadId }),
    };
    const run = createRun({
      ref,
      agent: applied.ok.agent,
      plan: applied.ok.plan,
      deps,
      chunks,
      events,
      signal: stop.signal,
      store,
      first: initialState({ request, applied: applied.ok }),
    });
    if (await store.cancelAsked()) stop.abort('cancelled' satisfies StopReason);
    const ending = await runLoop(run).catch((error: unknown) => {
      if (error instanceof FencedError) throw error;
      deps.log.error(
        { runId, error: String(error), stack: error instanceof Error ? error.stack : undefined },
        'a run broke',
      );
      return { form: 'error' as const, error: toWireError(error) };
    });
    if (stop.signal.reason === 'fenced') throw new FencedError(tenant, runId);
    await settleRun(delivery, store, { chunks, events }, await endRun(run, ending));
  } finally {
    clearTimeout(deadline);
    chunks.close();
  }
}

async function readAgent(deps: Deps, { request }: Command) {
  const { access } = deps;
  const entry = await readEntry(
    access,
    access.bus.names.agents,
    agentKey(request.tenant, request.agent),
    appliedAgentSchema,
  );
  if (entry) return { ok: { ...entry.value, revision: entry.revision } };
  return { error: { code: 'agent-unknown' as const, message: `There is no agent "${request.agent}".` } };
}
