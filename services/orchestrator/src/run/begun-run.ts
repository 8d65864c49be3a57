// A command whose run has begun already. Final: the last chunk is repeated and the command acknowledged. Otherwise its owner is
// lost: until runs can be gone on with, a new epoch ends it.
import { isFinal, type RunHead, type WireError } from '@millrace/contracts';
import { publish, type Delivery } from '@millrace/bus';
import { chunk } from '../state/make-chunk.ts';
import { createChunkPublisher } from '../state/chunk-publisher.ts';
import { createEventLog } from '../state/event-log.ts';
import { failedRun } from './end-run.ts';
import type { Deps } from '../state/run-context.ts';
import { openRunStore } from '../state/run-store.ts';
import { settleRun } from './settle-run.ts';

export async function answerRedelivery(deps: Deps, delivery: Delivery, head: RunHead, revision: number): Promise<void> {
  const { bus } = deps.access;
  const { tenant, runId, lastChunk, nextIndex, epoch } = head;
  if (head.command !== delivery.sequence) return delivery.acknowledge();
  if (!isFinal(head.status)) return endForLostOwner(deps, delivery, head, revision);
  if (lastChunk) publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index: nextIndex - 1, chunks: [lastChunk] });
  return delivery.acknowledge();
}

async function endForLostOwner(deps: Deps, delivery: Delivery, head: RunHead, revision: number): Promise<void> {
  const { access } = deps;
  const { bus } = access;
  const { tenant, runId } = head;
  const epoch = head.epoch + 1;
  const base = head.nextIndex;
  const taken: RunHead = { ...head, epoch, write: 0, bases: [...head.bases, { epoch, index: base }] };
  const store = await openRunStore(access, taken, revision);
  // Somebody else was faster: what he leaves is seen when the command comes again.
  if (!store) return;
  publish(bus, bus.subjects.control(tenant, runId), { control: 'epoch', epoch });
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: base });
  const events = createEventLog({ access, tenant, runId, epoch });
  try {
    chunks.publish([chunk(runId, { type: 'retract', payload: { index: base } })]);
    await settleRun({ delivery, store, chunks, events, maxPayload: bus.maxPayload() }, failedRun(runId, ownerLost));
  } finally {
    chunks.close();
  }
}

const ownerLost: WireError = {
  code: 'run-owner-lost',
  message: 'The orchestrator that ran this was lost, and runs cannot be gone on with yet.',
  remedy: 'Submit the request again under a new run id.',
};
