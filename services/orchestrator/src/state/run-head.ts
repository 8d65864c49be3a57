// The entry that owns a run: made when the run is submitted, taken over by whoever begins it.
import {
  STORED_VERSION,
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
  conflictError,
  locateEntry,
  purgeEntries,
  readEntry,
  writeEntry,
  type Entry,
  type JetStreamAccess,
  type Located,
} from '@millrace/bus';
import { packEnd, unpackEnd } from './packed-end.ts';

/** A final state, and what belongs to it, lives 24 h. */
export const FINAL_TTL_SECONDS = 24 * 3600;

/** What stands for a run: its head, one that does not fit (`error`), or none. @throws bus-unreachable, store-unavailable */
export function locateHead(access: JetStreamAccess, tenant: string, runId: string): Promise<Located<RunHead>> {
  return locateEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), runHeadSchema);
}

/** @throws message-invalid when it does not fit */
export async function readHead(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
): Promise<Entry<RunHead> | undefined> {
  return readEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), runHeadSchema);
}

/** The end is there for as long as the head says that it is. */
const END_MARGIN_SECONDS = 600;

/** A name that no other writer of the run uses, whatever its epoch. */
export const nameEnd = ({ epoch }: Pick<RunHead, 'epoch'>): string => `${epoch}-${crypto.randomUUID()}`;

/** Writes how a run ends, or is put away; it counts when the head names it. @throws message-too-large, bus-unreachable, store-unavailable */
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
  if ('conflict' in written) throw conflictError(key);
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

/** A run's state lives as long as the run may, or may be put away, and then as long as a final one. */
export function stateTtlSeconds(
  { deadlineAt, suspension }: Pick<RunHead, 'deadlineAt' | 'suspension'>,
  now: number,
): number {
  const until = suspension?.expiresAt ?? deadlineAt;
  return Math.ceil(Math.max(until - now, 0) / 1_000) + FINAL_TTL_SECONDS;
}

/** It publishes nothing more, unless somebody resumes it. */
export const isAtRest = ({ status }: Pick<RunHead, 'status'>): boolean => isFinal(status) || status === 'suspended';

/**
 * Where the last chunk of a run at rest stands. Of a suspended one it does not count: who goes on with the run takes it back, so that nobody
 * who comes late reads that it ends there.
 */
export function lastIndex({ status, nextIndex }: Pick<RunHead, 'status' | 'nextIndex'>): number {
  return status === 'suspended' ? nextIndex : nextIndex - 1;
}

export function queuedHead(command: Omit<StartCommand, 'command'>, owner: string): RunHead {
  const { request, requestHash, submittedAt } = command;
  const { tenant, runId, agent, deadlineMs, retryOf } = request;
  return {
    v: STORED_VERSION,
    tenant,
    runId,
    agent,
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

/** As the next owner writes it when it takes the run over: its chunks and its records begin where those that count have ended. */
export function nextEpoch({ handedOver: _, end: __, ...head }: RunHead, owner: string): RunHead {
  const { owners, nextIndex, records } = head;
  const epoch = head.epoch + 1;
  return { ...head, owner, epoch, write: 0, owners: [...owners, { epoch, index: nextIndex, firstRecord: records }] };
}

export function ownerOf({ owners, epoch }: RunHead): Owner {
  return owners.find((owner) => owner.epoch === epoch) ?? { epoch, index: 0, firstRecord: 0 };
}
