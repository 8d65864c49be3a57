// Ends a run that is put away without driving it: it was released, cancelled, or has waited for as long as it may. Its last chunk stands in
// an epoch of its own, in the place of the one that said that it is suspended.
import { stateKeys, type Chunk, type RunEnd, type RunHead, type RunResult, type WireError } from '@millrace/contracts';
import { clearTimer, publish, publishDurably, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { SHARD } from './event-log.ts';
import { chunk } from './make-chunk.ts';
import { FINAL_TTL_SECONDS, forgetRecords, nextEpoch, readEnd, readHead } from './run-head.ts';

export type EndOfSuspension = { status: 'cancelled' | 'released' } | { status: 'failed'; error: WireError };

/** The end is there for as long as the head says that it is. */
const END_TTL_SECONDS = FINAL_TTL_SECONDS * 2;

/** @param isMeant of a head as it is now. @returns whether it was suspended, and is ended now; the head as it was */
export async function endSuspended(
  access: JetStreamAccess,
  { tenant, runId }: Pick<RunHead, 'tenant' | 'runId'>,
  how: EndOfSuspension,
  isMeant: (head: RunHead) => boolean = () => true,
): Promise<{ ended: boolean; head?: RunHead }> {
  for (;;) {
    const there = await readHead(access, tenant, runId);
    if (!there) return { ended: false };
    const head = there.value;
    if (head.status !== 'suspended' || !isMeant(head)) return { ended: false, head };
    if (await endNow(access, head, there.revision, how)) return { ended: true, head };
    // Somebody has resumed or ended it in between: it is read again.
  }
}

async function endNow(
  access: JetStreamAccess,
  suspended: RunHead,
  expectedRevision: number,
  how: EndOfSuspension,
): Promise<boolean> {
  const { bus } = access;
  const { state } = bus.names;
  const { tenant, runId } = suspended;
  const before = await readEnd(access, suspended);
  const { suspension: _, ...head } = nextEpoch(suspended, bus.id);
  const { epoch, nextIndex: index } = head;
  const end = endOf(runId, before?.result, how);
  const ended = { at: new Date().toISOString(), step: end.result.steps.length };
  const final: RunHead = { ...head, status: how.status, nextIndex: index + 1, ended };
  const endKey = stateKeys.end(tenant, runId, epoch);
  await writeEntry(access, state, endKey, end, { ttlSeconds: END_TTL_SECONDS });
  const headKey = stateKeys.head(tenant, runId);
  const options = { expectedRevision, ttlSeconds: FINAL_TTL_SECONDS };
  if ('conflict' in (await writeEntry(access, state, headKey, final, options))) return false;
  publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index, chunks: [end.lastChunk] });
  const batch = { events: [{ event: 'run', epoch, status: how.status, ...ended }] };
  const subject = bus.subjects.events(SHARD, tenant, runId);
  await publishDurably(access, subject, batch, `${tenant}.${runId}.${epoch}.0`, { once: true });
  await forgetRecords(access, tenant, runId);
  await clearTimer(access, tenant, runId).catch((error: unknown) =>
    bus.log.warn({ runId, error: String(error) }, 'the timer of a run that has ended stays until it is due'),
  );
  return true;
}

/** What was said so far stays, but of a run that failed. */
function endOf(runId: string, before: RunResult | undefined, how: EndOfSuspension): RunEnd {
  const { status } = how;
  const empty = { runId, text: '', finishReason: 'other', usage: {}, messages: [], steps: [], violations: [] };
  if (status !== 'failed') {
    const lastChunk = chunk(runId, { type: 'abort', payload: { reason: status } });
    return { result: { ...empty, ...before, status, finishReason: 'other' }, lastChunk };
  }
  const { error } = how;
  const { usage = {}, violations = [], steps = [] } = before ?? {};
  const lastChunk: Chunk = chunk(runId, { type: 'error', payload: { error } });
  return { result: { ...empty, usage, violations, steps, status, finishReason: 'error', error }, lastChunk };
}
