// From a command to a run and its acknowledgement. Whoever creates the head entry owns the run; the command is acknowledged when
// the final state is written and the last chunk is out, so that a crash before leaves it to be delivered again.
import {
  agentKey,
  appliedAgentSchema,
  isFinal,
  toWireError,
  type Command,
  type RunHead,
  type RunRef,
  type WireError,
} from '@millrace/contracts';
import { listen, publish, readEntry, within, type Delivery } from '@millrace/bus';
import { controlSchema, tenantAndRun } from '@millrace/contracts';
import { createChunkPublisher } from './chunk-publisher.ts';
import { endRun, type Ended } from './ending.ts';
import { createEventLog } from './event-log.ts';
import { runLoop } from './run-loop.ts';
import { createRun, type Deps, type StopReason } from './run.ts';
import { initialState } from './run-state.ts';
import { FencedError, openRunStore, readHead, type RunStore } from './run-store.ts';
import { chunk } from '../step/model-parts.ts';

/** How often the acknowledgement is extended, ms: well within the queue's own wait. */
const EXTEND_MS = 3_000;

export type RunConsumer = {
  /** Resolves when there is room for another run. */
  take(delivery: Delivery): Promise<void>;
  /** Waits for the runs under way. */
  drain(graceMs: number): Promise<void>;
};

export function createRunConsumer(deps: Deps, maxRuns: number): RunConsumer {
  const { bus } = deps.access;
  const active = new Map<string, { stop: AbortController; done: Promise<void> }>();
  let room: (() => void) | undefined;
  const controls = listen(bus, bus.subjects.controls, controlSchema, (control, subject) => {
    const { tenant, run } = tenantAndRun(bus.subjects.prefix, subject);
    const stop = active.get(`${tenant}.${run}`)?.stop;
    const reason: StopReason = control.control === 'cancel' ? 'cancelled' : 'fenced';
    stop?.abort(reason);
  });
  const start = async (delivery: Delivery, stop: AbortController) => {
    try {
      await drive(deps, delivery, stop);
    } catch (error) {
      if (error instanceof FencedError) return;
      deps.log.error(
        { error: String(error), stack: error instanceof Error ? error.stack : undefined },
        'a run could not be driven; its command will come again',
      );
    }
  };
  return {
    async take(delivery) {
      const { tenant, runId } = delivery.command.request;
      const key = `${tenant}.${runId}`;
      // A redelivery to the process that owns the run is its own: it is acknowledged when the run ends.
      if (active.has(key)) return;
      const stop = new AbortController();
      const done = start(delivery, stop).finally(() => {
        active.delete(key);
        room?.();
      });
      active.set(key, { stop, done });
      if (active.size >= maxRuns) await new Promise<void>((resolve) => (room = resolve));
    },
    async drain(graceMs) {
      await within(Promise.all([...active.values()].map(({ done }) => done)), graceMs);
      for (const { stop } of active.values()) stop.abort('fenced' satisfies StopReason);
      controls.stop();
    },
  };
}

async function drive(deps: Deps, delivery: Delivery, stop: AbortController): Promise<void> {
  const { tenant, runId } = delivery.command.request;
  const there = await readHead(deps.access, tenant, runId);
  if (there) return goOn(deps, delivery, there.value, there.revision);
  const store = await openRunStore(deps.access, firstHead(delivery), 0);
  if (!store) return drive(deps, delivery, stop);
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
      return await settle(deps, delivery, store, { chunks, events }, lostResult(runId, applied.error));
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
    await settle(deps, delivery, store, { chunks, events }, await endRun(run, ending));
  } finally {
    clearTimeout(deadline);
    chunks.close();
  }
}

type Outlets = { chunks: ReturnType<typeof createChunkPublisher>; events: ReturnType<typeof createEventLog> };

/** The state with the last chunk, then the last chunk, then the acknowledgement. */
async function settle(
  _deps: Deps,
  delivery: Delivery,
  store: RunStore,
  { chunks, events }: Outlets,
  { status, lastChunk, result }: Ended,
): Promise<void> {
  events.record({ event: 'run', status, step: result.steps.length });
  await Promise.all([chunks.flush(), events.flush()]);
  await store.write({ status, result, lastChunk, nextIndex: chunks.nextIndex() + 1 }, true);
  chunks.publish([lastChunk]);
  await chunks.flush();
  await delivery.acknowledge();
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

/**
 * A command whose run has begun. Final: the last chunk is repeated and the command acknowledged. Otherwise its owner is lost:
 * until runs can be gone on with, a new epoch ends it.
 */
async function goOn(deps: Deps, delivery: Delivery, head: RunHead, revision: number): Promise<void> {
  const { access } = deps;
  const { bus } = access;
  const { tenant, runId } = head;
  if (head.command !== delivery.sequence) return delivery.acknowledge();
  if (isFinal(head.status)) {
    const { lastChunk, nextIndex, epoch } = head;
    if (lastChunk)
      publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index: nextIndex - 1, chunks: [lastChunk] });
    return delivery.acknowledge();
  }
  const epoch = head.epoch + 1;
  const base = head.nextIndex;
  const taken: RunHead = { ...head, epoch, write: 0, bases: [...head.bases, { epoch, index: base }] };
  const store = await openRunStore(access, taken, revision);
  if (!store) return;
  publish(bus, bus.subjects.control(tenant, runId), { control: 'epoch', epoch });
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: base });
  const events = createEventLog({ access, tenant, runId, epoch });
  chunks.publish([chunk(runId, { type: 'retract', payload: { index: base } })]);
  const error: WireError = {
    code: 'run-owner-lost',
    message: 'The orchestrator that ran this was lost, and runs cannot be gone on with yet.',
    remedy: 'Submit the request again under a new run id.',
  };
  await settle(deps, delivery, store, { chunks, events }, lostResult(runId, error));
}

function lostResult(runId: string, error: WireError): Ended {
  const lastChunk = chunk(runId, { type: 'error', payload: { error } });
  const result = {
    runId,
    status: 'failed' as const,
    text: '',
    finishReason: 'error',
    usage: {},
    messages: [],
    steps: [],
    violations: [],
    error,
  };
  return { status: 'failed', lastChunk, result };
}
