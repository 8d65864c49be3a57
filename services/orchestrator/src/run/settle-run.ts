// The last words of a run: the state with the last chunk, then the last chunk, then the acknowledgement. A crash in between is
// repeated by whoever gets the command again.
import type { Delivery } from '@millrace/bus';
import type { ChunkPublisher } from './chunk-publisher.ts';
import type { Ended } from './ending.ts';
import type { EventLog } from './event-log.ts';
import type { RunStore } from './run-store.ts';

export type Outlets = { chunks: ChunkPublisher; events: EventLog };

export async function settleRun(
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
