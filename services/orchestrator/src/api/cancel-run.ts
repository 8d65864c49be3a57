// Cancels a run wherever it is. One that waits in the queue, or is put away, is ended here and now: nobody need have a free place for that. One that is
// under way is told: its owner reads the key at the next checkpoint, and hears the control message at once.
import { stateKeys, type RunEnd, type RunHead, type RunStatus } from '@millrace/contracts';
import { publish, publishDurably, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { SHARD } from '../state/event-log.ts';
import { endSuspended } from '../state/end-suspended.ts';
import { chunk } from '../state/make-chunk.ts';
import { FINAL_TTL_SECONDS, readHead } from '../state/run-head.ts';
import { askCancel } from '../state/run-store.ts';

/** @returns the status of that moment; undefined: no such run is known */
export async function cancelRun(access: JetStreamAccess, tenant: string, run: string): Promise<RunStatus | undefined> {
  const { bus } = access;
  let there = await readHead(access, tenant, run);
  if (there?.value.status === 'queued') {
    if (await endQueued(access, there.value, there.revision)) return 'cancelled';
    // Somebody took it in between.
    there = await readHead(access, tenant, run);
  }
  if (there?.value.status === 'suspended') {
    if ((await endSuspended(access, { tenant, runId: run }, { status: 'cancelled' })).ended) return 'cancelled';
    // Somebody resumed it in between.
    there = await readHead(access, tenant, run);
  }
  if (there?.value.status === 'running' || there?.value.status === 'queued') {
    await askCancel(access, tenant, run);
    publish(bus, bus.subjects.control(tenant, run), { control: 'cancel' });
  }
  return there?.value.status;
}

/** False: the head has been written since. Its command is dropped when it is taken. */
async function endQueued(access: JetStreamAccess, head: RunHead, expectedRevision: number): Promise<boolean> {
  const { bus } = access;
  const { state } = bus.names;
  const { tenant, runId, epoch } = head;
  const end = cancelled(runId);
  const ttlSeconds = FINAL_TTL_SECONDS;
  await writeEntry(access, state, stateKeys.end(tenant, runId, epoch), end, { ttlSeconds: ttlSeconds * 2 });
  const ended = { at: new Date().toISOString(), step: 0 };
  const final: RunHead = { ...head, status: 'cancelled', owner: bus.id, write: 1, nextIndex: 1, ended };
  const key = stateKeys.head(tenant, runId);
  const written = await writeEntry(access, state, key, final, { expectedRevision, ttlSeconds });
  if ('conflict' in written) return false;
  publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index: 0, chunks: [end.lastChunk] });
  const batch = { events: [{ event: 'run', epoch, status: 'cancelled', ...ended }] };
  const subject = bus.subjects.events(SHARD, tenant, runId);
  await publishDurably(access, subject, batch, `${tenant}.${runId}.${epoch}.0`, { once: true });
  return true;
}

function cancelled(runId: string): RunEnd {
  const lastChunk = chunk(runId, { type: 'abort', payload: { reason: 'cancelled' } });
  const result = {
    runId,
    status: 'cancelled' as const,
    text: '',
    finishReason: 'other',
    usage: {},
    messages: [],
    steps: [],
    violations: [],
  };
  return { result, lastChunk };
}
