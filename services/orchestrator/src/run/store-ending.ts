// The last words of a run: how it ended, the head that says so, then the last chunk, then the acknowledgement. A crash in between is
// repeated by whoever gets the command again. A fenced owner gets no further than it is: its ending is not the run's.
import { MillraceError, type WireError } from '@millrace/contracts';
import type { Delivery, JetStreamAccess } from '@millrace/bus';
import type { ChunkPublisher } from '../state/chunk-publisher.ts';
import { failedRun, type EndedRun } from './end-run.ts';
import type { EventLog } from '../state/event-log.ts';
import { FencedError } from '../state/fenced-error.ts';
import type { RunStore } from '../state/run-store.ts';
import { forgetRun } from '../state/forget-run.ts';
import { throughOutages } from '../state/through-outages.ts';

export type EndingParts = {
  access: JetStreamAccess;
  delivery: Pick<Delivery, 'acknowledge'>;
  store: RunStore;
  chunks: ChunkPublisher;
  events: EventLog;
  fenced: AbortSignal;
};

/** @throws FencedError, bus-unreachable, store-unavailable: the command comes again */
export async function storeEnding(parts: EndingParts, ended: EndedRun): Promise<void> {
  const { access, delivery, store, chunks, events, fenced } = parts;
  const { tenant, runId } = store.head();
  const { status, lastChunk, result } = storable(ended, access.bus.maxPayload());
  const refuseFenced = () => {
    if (fenced.aborted) throw new FencedError(tenant, runId);
  };
  const step = result.steps.length;
  // It counts when the head says the same: the ending of an owner that is fenced in between is told to nobody.
  events.record({ event: 'run', status, step });
  await throughOutages(`the ending of ${tenant}.${runId}`, () =>
    Promise.all([chunks.flush(), flushed(events), store.keepEnd({ result, lastChunk })]),
  );
  refuseFenced();
  const at = new Date().toISOString();
  await store.write({ status, ended: { at, step }, nextIndex: chunks.nextIndex() + 1 }, true);
  // Not before: an ending that nobody has stored may still come to be another one.
  chunks.publishLast(lastChunk);
  await forgetRun(access, store.head());
  await delivery.acknowledge();
}

/** An event that no message can hold has been said by then: it must not keep the run from ending. */
async function flushed(events: EventLog): Promise<void> {
  await events.flush().catch((error: unknown) => {
    if (!MillraceError.isInstance(error) || error.code !== 'message-too-large') throw error;
  });
}

/** What the envelope of a chunk adds, and the publisher keeps back, with some to spare. Bytes. */
const ROOM_BYTES = 300 * 1024;

/** An ending that no message can hold would never be stored, and its command come again for ever: the run fails instead. */
function storable(ended: EndedRun, maxPayload: number): EndedRun {
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
