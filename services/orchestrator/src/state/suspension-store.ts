// Stores the questions of a suspended run and the answers to them. An answer is created once: the writer that creates
// it has used the token.
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
import { deleteRunState } from './delete-run-state.ts';
import { readHead } from '../head/run-head.ts';
import type { Run } from './run-context.ts';

type SuspensionAddress = Pick<RunHead, 'tenant' | 'runId'>;

/** A run expires this much later than its questions, so that an answer in time is stored by then. ms */
const STORED_WITHIN_MS = 1_000;
export const computeExpiryDueAt = (expiresAt: number): number => expiresAt + STORED_WITHIN_MS;

/** Lifetime of the tombstone of a removed entry: longer than a read-back takes. */
const TOMBSTONE_SECONDS = 60;

/** Writes the run's questions under the key of its owner's epoch; it counts when the head names it. @throws message-too-large, bus-unreachable, store-unavailable */
export async function writeSuspension(
  access: JetStreamAccess,
  { tenant, runId }: SuspensionAddress,
  suspension: Suspension,
  ttlSeconds: number,
): Promise<void> {
  const key = stateKeys.suspension(tenant, runId, suspension.epoch);
  await writeEntry(access, access.bus.names.state, key, suspension, { ttlSeconds });
}

/**
 * Removes the suspension of a replaced owner that never counted: the run may have ended, and no other owner removes it.
 * The suspension of the current owner stays, because it may count. @throws bus-unreachable, store-unavailable
 */
export async function takeBackSuspension(
  access: JetStreamAccess,
  { tenant, runId, epoch }: SuspensionAddress & Pick<RunHead, 'epoch'>,
): Promise<void> {
  const { state } = access.bus.names;
  const head = await readHead(access, tenant, runId);
  if (!head || head.value.epoch === epoch) return;
  // A late write may have restored entries that were deleted at the end: records, questions, the end of the suspension.
  if (isFinal(head.value.status)) return deleteRunState(access, head.value);
  await purgeEntries(access, state, stateKeys.suspension(tenant, runId, epoch));
}

/** A run id may be reused once its run has expired. */
export const isOfEarlierRun = ({ suspendedAt }: Suspension, { submittedAt }: Pick<RunHead, 'submittedAt'>): boolean =>
  Date.parse(suspendedAt) < submittedAt;

/** Reads the run's newest questions; heads of earlier versions name no epoch. @throws bus-unreachable, store-unavailable */
export async function readSuspension(
  access: JetStreamAccess,
  { tenant, runId, asked }: SuspensionAddress & Pick<RunHead, 'asked'>,
): Promise<Suspension | undefined> {
  const key = stateKeys.suspension(tenant, runId, asked);
  return (await readEntry(access, access.bus.names.state, key, suspensionSchema))?.value;
}

/**
 * The stored answer to a question. `by`: `this` request, an earlier attempt of the `same` request, or an `other` request. `isHeld`: every
 * request for it has `hold`.
 */
export type StoredAnswer = { by: 'this' | 'same' | 'other'; revision: number; isHeld: boolean };

/**
 * Stores the answer unless the question has one. Otherwise it marks the first answer as repeated: the new revision prevents that a failed
 * first request removes an answer that this one reports as accepted or as used. @throws message-too-large, bus-unreachable, store-unavailable
 */
export async function writeResumption(
  access: JetStreamAccess,
  { tenant, runId }: SuspensionAddress,
  pending: { id: string; expiresAt: string },
  resumption: Resumption,
): Promise<StoredAnswer> {
  const { state } = access.bus.names;
  const key = stateKeys.resumption(tenant, runId, pending.id);
  const untilMs = Math.max(Date.parse(pending.expiresAt) - access.clock.now(), 0);
  const ttlSeconds = Math.ceil(untilMs / 1_000) + SUSPENSION_LIMITS.graceSeconds;
  for (;;) {
    const there = await locateEntry(access, state, key, resumptionSchema);
    const { revision: expectedRevision } = there;
    if ('error' in there) return { by: 'other', revision: expectedRevision, isHeld: resumption.held === true };
    const stored = 'value' in there ? there.value : undefined;
    const by = !stored ? 'this' : stored.resumeId === resumption.resumeId ? 'same' : 'other';
    // Earlier versions store no `held`: a held request may be the repetition of one.
    const held = stored && resumption.held ? stored.held : resumption.held;
    const isHeld = resumption.held === true && held !== false;
    if (stored?.repeated && stored.held === held) return { by, revision: expectedRevision, isHeld };
    const value = { ...(stored ? { ...stored, repeated: true } : resumption), held };
    const written = await writeEntry(access, state, key, value, { expectedRevision, ttlSeconds });
    if ('revision' in written) return { by, revision: written.revision, isHeld };
  }
}

/** Removes an answer that no orchestrator could be notified of: its token is valid again. */
export async function takeBackResumption(
  access: JetStreamAccess,
  { tenant, runId }: SuspensionAddress,
  pending: string,
  revision: number,
): Promise<void> {
  const key = stateKeys.resumption(tenant, runId, pending);
  await deleteEntry(access, access.bus.names.state, key, revision, TOMBSTONE_SECONDS);
}

/** Returns the answers to open questions, each with its revision. @throws bus-unreachable, store-unavailable */
export async function readResumptions(
  access: JetStreamAccess,
  { tenant, runId }: SuspensionAddress,
  pending: readonly { id: string }[],
): Promise<{ id: string; revision: number; answer: Pick<Resumption, 'data' | 'edited'> }[]> {
  const { state } = access.bus.names;
  const readEntries = async ({ id }: { id: string }) => {
    const entry = await readEntry(access, state, stateKeys.resumption(tenant, runId, id), resumptionSchema);
    if (!entry) return [];
    const { data, edited } = entry.value;
    return [{ id, revision: entry.revision, answer: { data, ...(edited && { edited }) } }];
  };
  return (await Promise.all(pending.map(readEntries))).flat();
}

/** Returns the answers to the run's newest questions; undefined if no questions are stored. @throws bus-unreachable, store-unavailable */
export async function readStoredAnswers(
  access: JetStreamAccess,
  head: RunHead,
): Promise<Awaited<ReturnType<typeof readResumptions>> | undefined> {
  const suspension = await readSuspension(access, head);
  return suspension && readResumptions(access, head, suspension.pending);
}

const isOpen = ({ told, resumed }: HeldPending): boolean => told !== undefined && resumed === undefined;

export const listPending = (run: Run): HeldPending[] => run.getState().pending.filter(isOpen);
