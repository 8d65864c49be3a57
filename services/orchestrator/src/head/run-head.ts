// The head of a run: the entry that names its owner. The submission creates it, each owner moves it by compare-and-set.
import {
  COMMON_VERSION,
  isFinal,
  runEndSchema,
  runHeadSchema,
  stateKeys,
  type StartCommand,
  type Owner,
  type RunEnd,
  type RunHead,
  type StoredEnd,
} from '@millrace/contracts';
import {
  createConflictError,
  deleteEntry,
  locateEntry,
  purgeEntries,
  readEntry,
  writeEntry,
  type AbsentEntry,
  type BucketEntry,
  type JetStreamAccess,
  type LocatedEntry,
} from '@millrace/bus';
import { packEnd, unpackEnd } from './packed-end.ts';

/** A final state and its end live for 24 h. */
export const FINAL_TTL_SECONDS = 24 * 3600;

/** Locates the head: a valid one, an invalid one (`error`), or none. @throws bus-unreachable, store-unavailable */
export function locateHead(access: JetStreamAccess, tenant: string, runId: string): Promise<LocatedEntry<RunHead>> {
  return locateEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), runHeadSchema);
}

/** @throws message-invalid if the head does not fit its schema */
export async function readHead(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
): Promise<BucketEntry<RunHead> | undefined> {
  return readEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), runHeadSchema);
}

/**
 * Leaves a tombstone in place of an absent head: the next submission of the run finds it and reads the cancel keys. Keeps a head that was
 * created since. @param ttlSeconds of the tombstone, at least
 * @throws bus-unreachable, store-unavailable
 */
export async function markAbsentHead(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
  ttlSeconds: number,
): Promise<void> {
  const there = await locateHead(access, tenant, runId);
  if ('value' in there || 'error' in there) return;
  const ttl = chooseTombstoneTtl(there, ttlSeconds);
  await deleteEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), there.revision, ttl);
}

/**
 * Returns the time to live of a tombstone that replaces an absent head, s. The tombstone of a deleted head lives as long as its versions,
 * because a server that is killed would restore one of them; that of a cancel or a refused submission may be short.
 */
export function chooseTombstoneTtl({ revision, ttlSeconds = FINAL_TTL_SECONDS }: AbsentEntry, atLeast: number): number {
  return revision === 0 ? atLeast : Math.min(FINAL_TTL_SECONDS, Math.max(atLeast, ttlSeconds));
}

/** An end lives longer than the head that names it. */
const END_MARGIN_SECONDS = 600;

/** Returns a name that no other writer of the run uses, whatever its epoch. */
export const nameEnd = ({ epoch }: Pick<RunHead, 'epoch'>): string => `${epoch}-${crypto.randomUUID()}`;

/**
 * Writes the end of a run, or of its suspension; it counts when the head names it. @throws message-too-large,
 * bus-unreachable, store-unavailable
 */
export async function writeEnd(
  access: JetStreamAccess,
  { tenant, runId }: RunHead,
  name: string,
  end: RunEnd,
  headTtlSeconds: number = FINAL_TTL_SECONDS,
): Promise<StoredEnd> {
  const key = stateKeys.end(tenant, runId, name);
  const ttlSeconds = headTtlSeconds + END_MARGIN_SECONDS;
  const written = await writeEntry(access, access.bus.names.state, key, packEnd(end), { ttlSeconds });
  if ('conflict' in written) throw createConflictError(key);
  return { name, revision: written.revision };
}

/** Removes an end that no head names: another writer moved the head. @throws bus-unreachable, store-unavailable */
export async function dropEnd(access: JetStreamAccess, { tenant, runId }: RunHead, { name }: StoredEnd): Promise<void> {
  await purgeEntries(access, access.bus.names.state, stateKeys.end(tenant, runId, name));
}

/** Reads the end that the head of a run at rest names. Heads of earlier versions name none: their end has the epoch as name. */
export async function readEnd(access: JetStreamAccess, head: RunHead): Promise<RunEnd | undefined> {
  const { tenant, runId, epoch, end } = head;
  const key = stateKeys.end(tenant, runId, end?.name ?? String(epoch));
  const entry = await readEntry(access, access.bus.names.state, key, runEndSchema);
  return entry && unpackEnd(entry.value);
}

/**
 * Returns the lifetime of a run's state: until its deadline or the end of its suspension, and then as long as a final
 * state.
 */
export function computeStateTtlSeconds(
  { deadlineAt, suspension }: Pick<RunHead, 'deadlineAt' | 'suspension'>,
  now: number,
): number {
  const until = suspension?.expiresAt ?? deadlineAt;
  return Math.ceil(Math.max(until - now, 0) / 1_000) + FINAL_TTL_SECONDS;
}

/** Returns whether the run publishes nothing more unless it is resumed. */
export const isAtRest = ({ status }: Pick<RunHead, 'status'>): boolean => isFinal(status) || status === 'suspended';

/**
 * Returns the index of the last chunk of a run at rest. That of a suspended run does not count: the next owner retracts
 * it, so that no late reader takes it for the end.
 */
export function getLastIndex({ status, nextIndex }: Pick<RunHead, 'status' | 'nextIndex'>): number {
  return status === 'suspended' ? nextIndex : nextIndex - 1;
}

export function createQueuedHead(command: Omit<StartCommand, 'command'>, owner: string): RunHead {
  const { request, requestHash, submittedAt } = command;
  const { tenant, runId, agent, deadlineMs, retryOf, caller, subject, threadId, resourceId } = request;
  return {
    v: COMMON_VERSION,
    tenant,
    runId,
    agent,
    ...(caller !== undefined && { caller }),
    ...(subject !== undefined && { subject }),
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    requestHash,
    status: 'queued',
    owner,
    epoch: 1,
    write: 0,
    command: 0,
    records: 0,
    nextIndex: 0,
    owners: [{ epoch: 1, index: 0, firstRecord: 0 }],
    takeovers: 0,
    ...(retryOf !== undefined && { retryOf }),
    submittedAt,
    deadlineAt: submittedAt + deadlineMs,
  };
}

/** Returns whether the owner has stored a record that counts. */
export const hasProgress = (head: RunHead): boolean => head.records > getOwner(head).firstRecord;

/**
 * Returns the head that the next owner writes at a takeover: its chunks and records begin after the last ones that
 * count.
 */
export function openNextEpoch({ handedOver: _, end: __, ...head }: RunHead, owner: string): RunHead {
  const { repeatedLosses, ...next } = head;
  const { owners, nextIndex, records } = head;
  const epoch = head.epoch + 1;
  return {
    ...next,
    owner,
    epoch,
    write: 0,
    owners: [...owners, { epoch, index: nextIndex, firstRecord: records }],
    ...(repeatedLosses !== undefined && !hasProgress(head) && { repeatedLosses }),
  };
}

export function getOwner({ owners, epoch }: RunHead): Owner {
  return owners.find((owner) => owner.epoch === epoch) ?? { epoch, index: 0, firstRecord: 0 };
}
