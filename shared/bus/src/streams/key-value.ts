// Reads and writes typed entries of a key-value bucket by compare-and-set. Reads use the stream's leader: a replica may
// lag, and an owner must read its own writes. `kv.update` has no TTL, so writes are plain publishes with the expected
// sequence.
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError, type JetStreamPublishOptions } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import type { z } from 'zod';
import { storeError } from './store-error.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { WRONG_LAST_SEQUENCE, isCode } from './jetstream-errors.ts';
import { decodeStored, encodeWithin } from '../core/wire.ts';

export type BucketEntry<T> = { value: T; revision: number };
/** No entry. `revision` of the tombstone or the expiry marker, or 0; `ttlSeconds` of a tombstone: as its writer set it. */
export type AbsentEntry = { revision: number; ttlSeconds?: number };
/** Result of a read: a valid entry, an invalid one, or none. */
export type LocatedEntry<T> = BucketEntry<T> | { error: MillraceError; revision: number } | AbsentEntry;
/** `conflict`: another writer was first. */
export type WriteResult = { revision: number } | { conflict: true };

/** A write during a disconnection may be lost silently: it is retried after this timeout. */
const WRITE_TIMEOUT_MS = 2_000;
const NOT_FOUND = 10037;

export type KeyWriteOptions = {
  /** 0: the entry must not exist. Default: any revision. */
  expectedRevision?: number;
  /** A key of the same bucket under which nothing may ever have been written; not together with `expectedRevision`. */
  unlessWritten?: string;
  ttlSeconds?: number;
};

/** @param read `decode` reads an entry of a newer version too. @throws bus-unreachable, store-unavailable */
export async function locateEntry<T>(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  schema: z.ZodType<T>,
  read: typeof decodeStored = decodeStored,
): Promise<LocatedEntry<T>> {
  const subject = `$KV.${bucket}.${key}`;
  try {
    const stored = await access.jsm.streams.getMessage(`KV_${bucket}`, { last_by_subj: subject });
    if (!stored) return { revision: 0 };
    const revision = stored.seq;
    // An expired entry leaves a marker, a removed one a tombstone: neither has data.
    if (stored.header.get('KV-Operation') !== '' || stored.data.length === 0)
      return { revision, ...readTombstoneTtl(stored.header) };
    const value = read(stored.data, schema, subject);
    return 'error' in value ? { error: value.error, revision } : { value: value.ok, revision };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NOT_FOUND) return { revision: 0 };
    throw storeError(error, subject);
  }
}

function readTombstoneTtl(header: MsgHdrs): Pick<AbsentEntry, 'ttlSeconds'> {
  const seconds = header.get('KV-Operation') === '' ? undefined : /^(\d{1,9})s$/.exec(header.get('Nats-TTL'))?.[1];
  return seconds === undefined ? {} : { ttlSeconds: Number(seconds) };
}

/** @throws message-invalid when the entry does not fit; stored-by-newer, bus-unreachable, store-unavailable */
export async function readEntry<T>(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  schema: z.ZodType<T>,
): Promise<BucketEntry<T> | undefined> {
  const located = await locateEntry(access, bucket, key, schema);
  if ('error' in located) throw located.error;
  return 'value' in located ? located : undefined;
}

/** @throws message-too-large, bus-unreachable, store-unavailable */
export async function writeEntry(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  value: unknown,
  options: KeyWriteOptions,
): Promise<WriteResult> {
  const subject = `$KV.${bucket}.${key}`;
  const { expectedRevision, unlessWritten, ttlSeconds } = options;
  return put(access, subject, encodeWithin(value, access.bus.readMaxPayload(), subject), {
    ttlSeconds,
    ...(expectedRevision !== undefined && { expect: { lastSubjectSequence: expectedRevision } }),
    ...(unlessWritten !== undefined && { expect: expectNeverWritten(`$KV.${bucket}.${unlessWritten}`) }),
  });
}

/**
 * Leaves a tombstone, which watchers of the bucket receive; keeps an entry that was written since. @throws
 * bus-unreachable, store-unavailable
 */
export async function deleteEntry(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  expectedRevision: number,
  ttlSeconds?: number,
): Promise<WriteResult> {
  const tombstone = headers();
  tombstone.set('KV-Operation', 'DEL');
  const expect = { lastSubjectSequence: expectedRevision };
  return put(access, `$KV.${bucket}.${key}`, new Uint8Array(), { expect, ttlSeconds, headers: tombstone });
}

/**
 * Removes entries without a tombstone: watchers are not notified. @param keys may end in `.*` @param upTo later
 * revisions are kept
 * @throws bus-unreachable, store-unavailable
 */
export async function purgeEntries(
  { jsm }: JetStreamAccess,
  bucket: string,
  keys: string,
  upTo?: number,
): Promise<void> {
  const filter = `$KV.${bucket}.${keys}`;
  try {
    await jsm.streams.purge(`KV_${bucket}`, { filter, ...(upTo !== undefined && { seq: upTo + 1 }) });
  } catch (error) {
    throw storeError(error, filter);
  }
}

const expectNeverWritten = (subject: string) => ({ lastSubjectSequence: 0, lastSubjectSequenceSubject: subject });

type Put = Pick<JetStreamPublishOptions, 'expect' | 'headers'>;

async function put(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  { ttlSeconds, ...options }: Partial<Put> & { ttlSeconds: number | undefined },
): Promise<WriteResult> {
  try {
    const acked = await access.js.publish(subject, payload, {
      ...options,
      timeout: WRITE_TIMEOUT_MS,
      retries: 0,
      ...(ttlSeconds !== undefined && { ttl: `${ttlSeconds}s` }),
    });
    return { revision: acked.seq };
  } catch (error) {
    if (isCode(error, WRONG_LAST_SEQUENCE)) return { conflict: true };
    throw storeError(error, subject);
  }
}

export function createConflictError(key: string): MillraceError {
  return new MillraceError('state-conflict', `Another writer changed ${key} first.`, { path: key });
}
