// Begins a run: whoever creates its head owns it. Where it has begun already: a final one has its last chunk repeated and the command
// acknowledged; otherwise its owner is lost, runs cannot be resumed yet, and a new epoch ends it. A head that nobody can read is
// overwritten in the same way: left as it is, its command would come again for ever.
import { isFinal, stateKeys, type RunHead, type WireError } from '@millrace/contracts';
import { conflictError, locateEntry, publish, type Delivery } from '@millrace/bus';
import { z } from 'zod';
import { chunk } from '../state/make-chunk.ts';
import { createChunkPublisher } from '../state/chunk-publisher.ts';
import { createEventLog } from '../state/event-log.ts';
import { failedRun } from './end-run.ts';
import type { Deps } from '../state/run-context.ts';
import { locateHead, queuedHead, readEnd } from '../state/run-head.ts';
import type { RunStop } from '../state/run-stop.ts';
import { openRunStore, type RunStore } from '../state/run-store.ts';
import { storeEnding } from './store-ending.ts';
import { throughOutages } from '../state/through-outages.ts';

type Taken = { deps: Deps; delivery: Delivery; stop: RunStop };

/** How often somebody else may write the head between reading and writing it here: a submission, a cancellation, another owner. */
const BEGIN_ATTEMPTS = 5;

/** undefined: the command is answered. */
export async function beginRun(taken: Taken): Promise<RunStore | undefined> {
  const { deps, delivery } = taken;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  for (let attempt = 1; attempt <= BEGIN_ATTEMPTS; attempt += 1) {
    const there = await throughOutages(`the state of ${tenant}.${runId}`, () => locateHead(access, tenant, runId));
    if ('error' in there) {
      await endUnreadable(taken, there);
      return undefined;
    }
    if ('value' in there && isTaken(there.value, delivery)) {
      await answerRedelivery(taken, there.value, there.revision);
      return undefined;
    }
    const store = await openRunStore(access, firstHead(access.bus.id, delivery), there.revision);
    if (store) return store;
  }
  throw conflictError(`${tenant}.${runId}`);
}

/** It has begun, or another request stands under its id. */
function isTaken({ status, requestHash }: RunHead, { command }: Delivery): boolean {
  return status !== 'queued' || requestHash !== command.requestHash;
}

/** As its owner writes it when the run begins. */
function firstHead(owner: string, { command, sequence }: Delivery): RunHead {
  return { ...queuedHead(command, owner), status: 'running', command: sequence, startedAt: Date.now() };
}

async function answerRedelivery(taken: Taken, head: RunHead, revision: number): Promise<void> {
  const { deps, delivery } = taken;
  const { access } = deps;
  const { bus } = access;
  const { tenant, runId, nextIndex, epoch, requestHash } = head;
  if (requestHash !== delivery.command.requestHash) return delivery.acknowledge();
  // A run that was cancelled while it waited has no command of its own yet.
  if (head.command !== 0 && head.command !== delivery.sequence) return delivery.acknowledge();
  if (!isFinal(head.status)) {
    const next = { ...head, epoch: epoch + 1, bases: [...head.bases, { epoch: epoch + 1, index: nextIndex }] };
    return endInNewEpoch(taken, next, revision, ownerLost);
  }
  const end = await readEnd(access, head);
  if (end) publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index: nextIndex - 1, chunks: [end.lastChunk] });
  return delivery.acknowledge();
}

/** What counts of a head that does not fit: where the next owner's chunks must stand. */
const remainsSchema = z.object({
  epoch: z.number().int().min(1).catch(1),
  nextIndex: z.number().int().min(0).catch(0),
});

async function endUnreadable(taken: Taken, { error, revision }: { error: Error; revision: number }): Promise<void> {
  const { deps, delivery } = taken;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  deps.log.error({ tenant, runId, error: error.message }, 'the head of a run does not fit: the run is ended');
  const key = stateKeys.head(tenant, runId);
  const there = await locateEntry(access, access.bus.names.state, key, remainsSchema);
  const { epoch, nextIndex } = 'value' in there ? there.value : { epoch: 1, nextIndex: 0 };
  const bases = [
    { epoch: 1, index: 0 },
    { epoch: epoch + 1, index: nextIndex },
  ];
  const head = { ...firstHead(access.bus.id, delivery), epoch: epoch + 1, nextIndex, bases };
  return endInNewEpoch(taken, head, revision, unreadable);
}

async function endInNewEpoch(
  { deps, delivery, stop }: Taken,
  next: RunHead,
  revision: number,
  error: WireError,
): Promise<void> {
  const { access } = deps;
  const { bus } = access;
  const { tenant, runId, epoch, nextIndex } = next;
  const store = await openRunStore(access, { ...next, owner: bus.id, write: 0 }, revision);
  // Another orchestrator was faster: what it wrote is read when the command comes again.
  if (!store) return;
  stop.own(epoch);
  publish(bus, bus.subjects.control(tenant, runId), { control: 'epoch', epoch });
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: nextIndex });
  const events = createEventLog({ access, tenant, runId, epoch });
  try {
    chunks.publish([chunk(runId, { type: 'retract', payload: { index: nextIndex } })]);
    const parts = { access, delivery, store, chunks, events, fenced: stop.fenced };
    await storeEnding(parts, failedRun(runId, error));
  } finally {
    chunks.close();
    events.close();
  }
}

const ownerLost: WireError = {
  code: 'run-owner-lost',
  message: 'The orchestrator that drove this run was lost. Run takeover is not implemented.',
  remedy:
    'Look at the thread first: its memory may have stored this turn. Then submit the request again under a new run id.',
};
const unreadable: WireError = {
  code: 'run-state-unreadable',
  message: 'What is stored of this run does not fit this version of the orchestrator.',
  remedy: 'Submit the request again under a new run id; run one version of the orchestrator.',
};
