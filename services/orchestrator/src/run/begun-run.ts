// A command whose run has begun already. Final: the last chunk is repeated and the command acknowledged. Otherwise its owner is
// lost: until runs can be gone on with, a new epoch ends it.
import { isFinal, type RunHead, type WireError } from '@millrace/contracts';
import { publish, type Delivery } from '@millrace/bus';
import { chunk } from '../step/model-parts.ts';
import { createChunkPublisher } from './chunk-publisher.ts';
import type { Ended } from './ending.ts';
import { createEventLog } from './event-log.ts';
import type { Deps } from './run.ts';
import { openRunStore } from './run-store.ts';
import { settleRun } from './settle-run.ts';

export async function answerRedelivery(deps: Deps, delivery: Delivery, head: RunHead, revision: number): Promise<void> {
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
  await settleRun(delivery, store, { chunks, events }, failedBeforeStart(runId, error));
}

export function failedBeforeStart(runId: string, error: WireError): Ended {
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
