// Ends a run: stores the end under a name of its own, moves the head to it, then publishes the last chunk, forgets the rest
// and acknowledges the command. After a crash in between the next delivery of the command repeats the steps. A writer that loses the head
// leaves nothing behind: its end is removed, because no head names it.
import { MillraceError, type RunEnd, type RunHead, type StoredEnd, type WireError } from '@millrace/contracts';
import type { Delivery, JetStreamAccess } from '@millrace/bus';
import type { ChunkPublisher } from '../transcript/chunk-publisher.ts';
import { createFailedRun } from '../state/failed-run.ts';
import type { EventLog } from '../state/event-log.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { deleteRunState } from '../state/delete-run-state.ts';
import { computeMaxEndBytes, packEnd } from '../head/packed-end.ts';
import { dropEnd } from '../head/run-head.ts';
import type { RunStore } from '../state/run-store.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

export type EndingParts = {
  access: JetStreamAccess;
  delivery: Pick<Delivery, 'acknowledge'>;
  store: RunStore;
  chunks: ChunkPublisher;
  events: EventLog;
  fenced: AbortSignal;
  /**
   * The run has no owner: other writers may end the same epoch until one of them moves the head. The event is then stored after the head,
   * because it would replace that of the writer that wins.
   */
  isUndriven?: boolean;
};

/** @throws FencedError, bus-unreachable, store-unavailable: the command is delivered again */
export async function storeEnding(parts: EndingParts, ended: RunEnd): Promise<void> {
  const { access, delivery, store, chunks, events, fenced, isUndriven = false } = parts;
  const { tenant, runId } = store.getHead();
  const { result, ...more } = makeStorable(ended, access.bus.readMaxPayload());
  const { status, steps } = result;
  const step = steps.length;
  const recordEnding = () => events.record({ event: 'run', status, step });
  if (!isUndriven) recordEnding();
  const [end] = await retryThroughOutages(`the ending of ${tenant}.${runId}`, () =>
    Promise.all([store.keepEnd({ result, ...more }), chunks.flush(), flushEvents(events)]),
  );
  await ignoreFenced(access, store.getHead(), end, async () => {
    if (fenced.aborted) throw new FencedError(tenant, runId);
    const at = new Date().toISOString();
    await store.write({ status, ended: { at, step }, end, nextIndex: chunks.getNextIndex() + 1 }, true);
  });
  // Not before: an ending that no head names may still be replaced by another one.
  chunks.publishLast(more.lastChunk);
  if (isUndriven) recordEnding();
  await Promise.all([deleteRunState(access, store.getHead()), isUndriven && flushEvents(events)]);
  await delivery.acknowledge();
}

/** Removes the end if another writer has the head. If it cannot be removed, the server forgets it after its time to live. */
export async function ignoreFenced(
  access: JetStreamAccess,
  head: RunHead,
  end: StoredEnd,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof FencedError) {
      await dropEnd(access, head, end).catch((failed: unknown) =>
        access.bus.log.warn({ runId: head.runId, error: String(failed) }, 'the end of a replaced owner is not removed'),
      );
    }
    throw error;
  }
}

/** An event that no message can hold was reported before: it must not keep the run from ending. */
async function flushEvents(events: EventLog): Promise<void> {
  await events.flush().catch((error: unknown) => {
    if (!MillraceError.isInstance(error) || error.code !== 'message-too-large') throw error;
  });
}

/** Replaces an ending that no message can hold by a failure: it could never be stored, and its command would be delivered for ever. */
function makeStorable(ended: RunEnd, maxPayload: number): RunEnd {
  const limit = computeMaxEndBytes(maxPayload);
  const countBytes = (end: RunEnd) => Buffer.byteLength(JSON.stringify(packEnd(end)));
  if (countBytes(ended) <= limit) return ended;
  // The result counts more than the input.
  const { input: _, ...withoutInput } = ended;
  const bytes = countBytes(withoutInput);
  if (bytes <= limit) return withoutInput;
  const error: WireError = {
    code: 'message-too-large',
    message: `The result of ${bytes} bytes is larger than a message may be (${limit}).`,
    remedy: 'Set modelSettings.maxOutputTokens or a smaller maxSteps, or add a content-length guard.',
  };
  return createFailedRun(ended.result.runId, error, ended.result.usage);
}
