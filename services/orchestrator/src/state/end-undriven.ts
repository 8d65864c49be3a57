// Ends a run that nobody drives: one that waits in the queue, or is put away. It was released, cancelled, or has waited for as long as it may.
// One compare-and-set of its head. The last chunk of a suspended run stands in an epoch of its own, in the place of the one that said that
// it is suspended.
import { stateKeys, type Chunk, type RunEnd, type RunHead, type RunResult, type WireError } from '@millrace/contracts';
import { clearTimer, publish, publishDurably, writeEntry, type Entry, type JetStreamAccess } from '@millrace/bus';
import { SHARD } from './event-log.ts';
import { forgetRun } from './forget-run.ts';
import { chunk } from './make-chunk.ts';
import { FINAL_TTL_SECONDS, nextEpoch, readEnd, readHead, writeEnd } from './run-head.ts';

export type HowItEnds = { status: 'cancelled' | 'released' } | { status: 'failed'; error: WireError };

/** @param isMeant of a head as it is now. @returns whether it was so, and is ended now; the head as it was */
export async function endUndriven(
  access: JetStreamAccess,
  { tenant, runId }: Pick<RunHead, 'tenant' | 'runId'>,
  how: HowItEnds,
  isMeant: (head: RunHead) => boolean = () => true,
): Promise<{ ended: boolean; head?: RunHead }> {
  for (;;) {
    const there = await readHead(access, tenant, runId);
    if (!there) return { ended: false };
    const head = there.value;
    const isUndriven = head.status === 'suspended' || head.status === 'queued';
    if (!isUndriven || !isMeant(head)) return { ended: false, head };
    if (await endNow(access, there, how)) return { ended: true, head };
    // Somebody has taken, resumed or ended it in between: it is read again.
  }
}

async function endNow(access: JetStreamAccess, there: Entry<RunHead>, how: HowItEnds): Promise<boolean> {
  const { bus } = access;
  const { state } = bus.names;
  const { tenant, runId } = there.value;
  const isSuspended = there.value.status === 'suspended';
  const before = isSuspended ? await readEnd(access, there.value) : undefined;
  const { suspension: _, ...head } = isSuspended ? nextEpoch(there.value, bus.id) : there.value;
  const { epoch, nextIndex: index } = head;
  const end = endOf(runId, before?.result, how);
  const ended = { at: new Date().toISOString(), step: end.result.steps.length };
  const final: RunHead = { ...head, owner: bus.id, write: 1, status: how.status, nextIndex: index + 1, ended };
  await writeEnd(access, final, end);
  const options = { expectedRevision: there.revision, ttlSeconds: FINAL_TTL_SECONDS };
  const written = await writeEntry(access, state, stateKeys.head(tenant, runId), final, options);
  if ('conflict' in written) return false;
  publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index, chunks: [end.lastChunk] });
  const batch = { events: [{ event: 'run', epoch, status: how.status, ...ended }] };
  const subject = bus.subjects.events(SHARD, tenant, runId);
  await publishDurably(access, subject, batch, `${tenant}.${runId}.${epoch}.0`, { once: true });
  if (!isSuspended) return true;
  // What a crash leaves here is forgotten when the timer is due.
  await forgetRun(access, final);
  await clearTimer(access, tenant, runId).catch((error: unknown) =>
    bus.log.warn({ runId, error: String(error) }, 'the timer of a run that has ended stays until it is due'),
  );
  return true;
}

/** What was said so far stays, but of a run that failed. */
function endOf(runId: string, before: RunResult | undefined, how: HowItEnds): RunEnd {
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
