// The last words of a run: the state with the last chunk, then the last chunk, then the acknowledgement. A crash in between is
// repeated by whoever gets the command again.
import type { WireError } from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import type { ChunkPublisher } from '../state/chunk-publisher.ts';
import type { Ended } from './end-run.ts';
import type { EventLog } from '../state/event-log.ts';
import { failedRun } from './end-run.ts';
import type { RunStore } from '../state/run-store.ts';

export type Settling = {
  delivery: Delivery;
  store: RunStore;
  chunks: ChunkPublisher;
  events: EventLog;
  /** The server's limit for one message, bytes. */
  maxPayload: number;
};

/** @throws FencedError, bus-unreachable: the command comes again */
export async function settleRun(
  { delivery, store, chunks, events, maxPayload }: Settling,
  ended: Ended,
): Promise<void> {
  const { status, lastChunk, result } = storable(ended, maxPayload);
  events.record({ event: 'run', status, step: result.steps.length });
  await Promise.all([chunks.flush(), events.flush()]);
  await store.write({ status, result, lastChunk, nextIndex: chunks.nextIndex() + 1 }, true);
  chunks.publish([lastChunk]);
  await chunks.flush();
  await delivery.acknowledge();
}

/** What the head entry and the envelope of a chunk add, and the publisher keeps back, with some to spare. Bytes. */
const ROOM_BYTES = 300 * 1024;

/** An ending that no message can hold would never be stored, and its command come again for ever: the run fails instead. */
function storable(ended: Ended, maxPayload: number): Ended {
  const bytes = Buffer.byteLength(JSON.stringify(ended));
  const limit = Math.max(maxPayload - ROOM_BYTES, maxPayload / 2);
  if (bytes <= limit) return ended;
  const error: WireError = {
    code: 'message-too-large',
    message: `The result of ${bytes} bytes is larger than a message may be (${limit}).`,
    remedy: 'Set modelSettings.maxOutputTokens or a smaller maxSteps, or add a content-length guard.',
  };
  return failedRun(ended.result.runId, error, ended.result.usage);
}
