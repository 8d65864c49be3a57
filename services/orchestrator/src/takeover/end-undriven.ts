// Ends a run that no orchestrator drives, without using a place: a suspended run that is released, cancelled or
// expired, or a queued one that is cancelled. The last chunk of a suspended run is in an epoch of its own, at the index
// of the chunk that announced the suspension.
import { readOwner, type RunEnd, type RunHead, type WireError } from '@millrace/contracts';
import type { BucketEntry, JetStreamAccess } from '@millrace/bus';
import { createChunkPublisher } from '../transcript/chunk-publisher.ts';
import { createEmptyResult, createFailedRun } from '../state/failed-run.ts';
import { createEventLog } from '../state/event-log.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { openNextEpoch, readEnd, readHead } from '../head/run-head.ts';
import { openUndriven } from '../state/run-store.ts';
import { storeEnding } from './store-ending.ts';

export type UndrivenEnding = { status: 'cancelled' | 'released' } | { status: 'failed'; error: WireError };

/** @param isMeant whether the current head is to be ended. @returns whether this call ended it; the head as it was before */
export async function endUndriven(
  access: JetStreamAccess,
  { tenant, runId }: Pick<RunHead, 'tenant' | 'runId'>,
  ending: UndrivenEnding,
  isMeant: (head: RunHead) => boolean = () => true,
): Promise<{ ended: boolean; head?: RunHead }> {
  for (;;) {
    const there = await readHead(access, tenant, runId);
    if (!there) return { ended: false };
    const head = there.value;
    const isUndriven = head.status === 'suspended' || head.status === 'queued';
    if (!isUndriven || !isMeant(head)) return { ended: false, head };
    try {
      await endNow(access, there, ending);
      return { ended: true, head };
    } catch (error) {
      // Another writer began, resumed or ended the run: its head is read.
      if (!(error instanceof FencedError)) throw error;
    }
  }
}

async function endNow(access: JetStreamAccess, there: BucketEntry<RunHead>, ending: UndrivenEnding): Promise<void> {
  const { tenant, runId, deadlineAt, status } = there.value;
  const isSuspended = status === 'suspended';
  const before = isSuspended ? await readEnd(access, there.value) : undefined;
  const { suspension: _, ...head } = isSuspended ? openNextEpoch(there.value, access.bus.id) : there.value;
  const { epoch, nextIndex: firstIndex } = head;
  const caller = readOwner(head);
  const chunks = createChunkPublisher({ access, tenant, caller, runId, epoch, firstIndex, deadlineAt });
  const events = createEventLog({ access, tenant, runId, epoch, resourceId: head.resourceId });
  const store = openUndriven(access, head, there.revision);
  const delivery = { acknowledge: async () => undefined };
  const fenced = new AbortController().signal;
  try {
    const ended = buildEnd(runId, before, ending);
    await storeEnding({ access, delivery, store, chunks, events, fenced, isUndriven: true }, ended);
  } finally {
    chunks.close();
    events.close();
  }
}

/** Keeps text and messages so far, except of a run that failed. */
function buildEnd(runId: string, before: RunEnd | undefined, ending: UndrivenEnding): RunEnd {
  const { status } = ending;
  if (status !== 'failed') {
    const lastChunk = makeChunk(runId, { type: 'abort', payload: { reason: status } });
    return { lastChunk, result: { ...createEmptyResult(runId), ...before?.result, status, finishReason: 'other' } };
  }
  const { violations = [], steps = [], usage } = before?.result ?? {};
  const failed = createFailedRun(runId, ending.error, usage);
  return { ...failed, result: { ...failed.result, violations, steps } };
}

/** The clocks of submitter and reader may differ by this. ms */
const CLOCK_MARGIN_MS = 30_000;

export const isOverdue = ({ status, deadlineAt }: Pick<RunHead, 'status' | 'deadlineAt'>, now: number): boolean =>
  status === 'queued' && now > deadlineAt + CLOCK_MARGIN_MS;

/**
 * Ends a queued run after its deadline. Its submitter may have been killed between the head and the command, so that no
 * command ever starts it; if a command waits, the run would fail with the same code when it is delivered. Readers of
 * the head call this: no scan is needed.
 * @returns the head as it is afterwards. @throws bus-unreachable, store-unavailable
 */
export async function endIfOverdue(access: JetStreamAccess, head: RunHead): Promise<RunHead> {
  const isMeant = (there: RunHead) => isOverdue(there, access.clock.now());
  if (!isMeant(head)) return head;
  await endUndriven(access, head, { status: 'failed', error: neverBegun }, isMeant);
  return (await readHead(access, head.tenant, head.runId))?.value ?? head;
}

const neverBegun: WireError = {
  code: 'run-deadline-exceeded',
  message: 'No orchestrator began the run before its deadline.',
  remedy: 'Submit the request again under a new run id, with a larger deadlineMs if the queue is long.',
};
