// What an owner says of its run goes through here: chunks and events of its epoch, from where those that count have ended. A new
// epoch is told to the owner before it, and begins with a retract of what that one said after its last checkpoint.
import { publish, type JetStreamAccess } from '@millrace/bus';
import { createChunkPublisher, type ChunkPublisher } from '../state/chunk-publisher.ts';
import { createEventLog, type EventLog } from '../state/event-log.ts';
import { chunk } from '../state/make-chunk.ts';
import { ownerOf } from '../state/run-head.ts';
import type { RunStop } from '../state/run-stop.ts';
import type { RunStore } from '../state/run-store.ts';

export type Epoch = {
  chunks: ChunkPublisher;
  events: EventLog;
  /** Nothing is said any more. Fencing closes too. */
  close(): void;
};

export function openEpoch(access: JetStreamAccess, store: RunStore, { own, fenced }: RunStop): Epoch {
  const { bus } = access;
  const head = store.head();
  const { tenant, runId, epoch } = head;
  const { index } = ownerOf(head);
  const chunks = createChunkPublisher({ access, tenant, runId, epoch, firstIndex: index, deadlineAt: head.deadlineAt });
  const events = createEventLog({ access, tenant, runId, epoch });
  const closeAll = () => {
    chunks.close();
    events.close();
  };
  fenced.addEventListener('abort', closeAll, { once: true });
  if (fenced.aborted) closeAll();
  own(epoch);
  if (epoch > 1) {
    publish(bus, bus.subjects.control(tenant, runId), { control: 'epoch', epoch });
    chunks.publish([chunk(runId, { type: 'retract', payload: { index } })]);
  }
  return {
    chunks,
    events,
    close() {
      fenced.removeEventListener('abort', closeAll);
      closeAll();
    },
  };
}
