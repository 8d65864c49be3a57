// What is stored of a run that is put away, beside its head and its records: what it waits for, and what that was answered with. The
// answer is written once: whoever creates it has used the token.
import {
  SUSPENSION_LIMITS,
  isFinal,
  resumptionSchema,
  stateKeys,
  suspensionSchema,
  type HeldPending,
  type Resumption,
  type RunHead,
  type Suspension,
} from '@millrace/contracts';
import { deleteEntry, locateEntry, purgeEntries, readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { forgetRun } from './forget-run.ts';
import { readHead } from './run-head.ts';
import type { Run } from './run-context.ts';

type Address = Pick<RunHead, 'tenant' | 'runId'>;

/** An answer that came in time is stored by then: the run does not expire before. ms */
const STORED_WITHIN_MS = 1_000;
export const expiryDueAt = (expiresAt: number): number => expiresAt + STORED_WITHIN_MS;

/** What was removed is forgotten after this: long enough for whoever reads it back. */
const TOMBSTONE_SECONDS = 60;

/** Writes the run's questions under the key of its owner's epoch; it counts when the head names it. @throws message-too-large, bus-unreachable, store-unavailable */
export async function writeSuspension(
  access: JetStreamAccess,
  { tenant, runId }: Address,
  suspension: Suspension,
  ttlSeconds: number,
): Promise<void> {
  const key = stateKeys.suspension(tenant, runId, suspension.epoch);
  await writeEntry(access, access.bus.names.state, key, suspension, { ttlSeconds });
}

/**
 * Of an owner that was replaced before its suspension counted: the run may have ended by then, and nobody else removes it. Of one that still
 * is the owner it stays: it may count. @throws bus-unreachable, store-unavailable
 */
export async function takeBackSuspension(
  access: JetStreamAccess,
  { tenant, runId, epoch }: Address & Pick<RunHead, 'epoch'>,
): Promise<void> {
  const { state } = access.bus.names;
  const head = await readHead(access, tenant, runId);
  if (!head || head.value.epoch === epoch) return;
  // What was forgotten with its end may stand there again: its records, its question, how it was put away.
  if (isFinal(head.value.status)) return forgetRun(access, head.value);
  await purgeEntries(access, state, stateKeys.suspension(tenant, runId, epoch));
}

/** A run id may be used again once its run is forgotten. */
export const isOfEarlierRun = ({ suspendedAt }: Suspension, { submittedAt }: Pick<RunHead, 'submittedAt'>): boolean =>
  Date.parse(suspendedAt) < submittedAt;

/** Reads the run's newest questions; heads of earlier versions name no epoch. @throws bus-unreachable, store-unavailable */
export async function readSuspension(
  access: JetStreamAccess,
  { tenant, runId, asked }: Address & Pick<RunHead, 'asked'>,
): Promise<Suspension | undefined> {
  const key = stateKeys.suspension(tenant, runId, asked);
  return (await readEntry(access, access.bus.names.state, key, suspensionSchema))?.value;
}

/** `revision`: it is there from now on. `used`: something was answered before. `same`: by this very question. */
export type Answered = { revision: number } | 'used' | 'same';

/** @throws bus-unreachable, store-unavailable */
export async function writeResumption(
  access: JetStreamAccess,
  { tenant, runId }: Address,
  pending: { id: string; expiresAt: string },
  resumption: Resumption,
): Promise<Answered> {
  const { state } = access.bus.names;
  const key = stateKeys.resumption(tenant, runId, pending.id);
  const untilMs = Math.max(Date.parse(pending.expiresAt) - access.clock.now(), 0);
  const ttlSeconds = Math.ceil(untilMs / 1_000) + SUSPENSION_LIMITS.graceSeconds;
  for (;;) {
    const there = await locateEntry(access, state, key, resumptionSchema);
    if ('error' in there) return 'used';
    if ('value' in there) return there.value.resumeId === resumption.resumeId ? 'same' : 'used';
    const written = await writeEntry(access, state, key, resumption, { expectedRevision: there.revision, ttlSeconds });
    if ('revision' in written) return written;
  }
}

/** For an answer that nobody can be told of: its token counts again. */
export async function takeBackResumption(
  access: JetStreamAccess,
  { tenant, runId }: Address,
  pending: string,
  revision: number,
): Promise<void> {
  const key = stateKeys.resumption(tenant, runId, pending);
  await deleteEntry(access, access.bus.names.state, key, revision, TOMBSTONE_SECONDS);
}

/** What was answered, of what has been asked and not been answered yet. @throws bus-unreachable, store-unavailable */
export async function readResumptions(
  access: JetStreamAccess,
  { tenant, runId }: Address,
  pending: readonly { id: string }[],
): Promise<{ id: string; data: Resumption['data'] }[]> {
  const { state } = access.bus.names;
  const read = async ({ id }: { id: string }) => {
    const entry = await readEntry(access, state, stateKeys.resumption(tenant, runId, id), resumptionSchema);
    return entry ? [{ id, data: entry.value.data }] : [];
  };
  return (await Promise.all(pending.map(read))).flat();
}

const isOpen = ({ told, resumed }: HeldPending): boolean => told !== undefined && resumed === undefined;

export const pendingOf = (run: Run): HeldPending[] => run.state().pending.filter(isOpen);
