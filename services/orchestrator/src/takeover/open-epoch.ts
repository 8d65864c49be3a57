// Opens an owner's epoch: its chunks and events begin after the last ones that count. A new epoch is announced to the
// previous owner and begins with a retract of the chunks after that owner's last checkpoint.
import { readOwner } from '@millrace/contracts';
import { publish, type JetStreamAccess } from '@millrace/bus';
import { createChunkPublisher, type ChunkPublisher } from '../transcript/chunk-publisher.ts';
import { createEventLog, type EventLog } from '../state/event-log.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { getOwner } from '../head/run-head.ts';
import type { RunStop } from '../state/run-stop.ts';
import type { RunStore } from '../state/run-store.ts';

export type Epoch = {
  chunks: ChunkPublisher;
  events: EventLog;
  /** Closes both publishers. Fencing closes them too. */
  close(): void;
};

export function openEpoch(access: JetStreamAccess, store: RunStore, { setEpoch: own, fenced }: RunStop): Epoch {
  const { bus } = access;
  const head = store.getHead();
  const { tenant, runId, epoch, resourceId } = head;
  const { index } = getOwner(head);
  const caller = readOwner(head);
  const { deadlineAt } = head;
  const chunks = createChunkPublisher({ access, tenant, caller, runId, epoch, firstIndex: index, deadlineAt });
  const events = createEventLog({ access, tenant, runId, epoch, resourceId });
  const closeAll = () => {
    chunks.close();
    events.close();
  };
  fenced.addEventListener('abort', closeAll, { once: true });
  if (fenced.aborted) closeAll();
  own(epoch);
  if (epoch > 1) {
    publish(bus, bus.subjects.control(tenant, runId), { control: 'epoch', epoch });
    chunks.publish([makeChunk(runId, { type: 'retract', payload: { index } })]);
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
