// Entries of a key-value bucket, typed, written by compare-and-set. Reads go to the stream's leader: a replica may be behind,
// and an owner that reads its own write back must see it. `kv.update` has no TTL, so the writes are plain publishes with the
// expected sequence.
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError, type JetStreamPublishOptions } from '@nats-io/jetstream';
import { headers } from 'nats';
import type { z } from 'zod';
import { storeError } from './store-error.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { WRONG_LAST_SEQUENCE, isCode } from './jetstream-errors.ts';
import { decodeStored, encodeWithin } from './wire.ts';

export type Entry<T> = { value: T; revision: number };
/** What stands under a key: an entry, one that does not fit its schema, or none (`revision` of what was removed or has expired, or 0). */
export type Located<T> = Entry<T> | { error: MillraceError; revision: number } | { revision: number };
/** `conflict`: somebody else wrote first. */
export type Written = { revision: number } | { conflict: true };

/** A write that was under way when the connection broke is lost without a sign: it is tried again no later than this. */
const WRITE_TIMEOUT_MS = 2_000;
const NOT_FOUND = 10037;

export type WriteOptions = {
  /** 0 for an entry that was never there; absent: whatever is there. */
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
): Promise<Located<T>> {
  const subject = `$KV.${bucket}.${key}`;
  try {
    const stored = await access.jsm.streams.getMessage(`KV_${bucket}`, { last_by_subj: subject });
    if (!stored) return { revision: 0 };
    const revision = stored.seq;
    // An expired entry leaves a marker, a removed one a tombstone: neither has data.
    if (stored.header.get('KV-Operation') !== '' || stored.data.length === 0) return { revision };
    const value = read(stored.data, schema, subject);
    return 'error' in value ? { error: value.error, revision } : { value: value.ok, revision };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NOT_FOUND) return { revision: 0 };
    throw storeError(error, subject);
  }
}

/** @throws message-invalid when the entry does not fit; stored-by-newer, bus-unreachable, store-unavailable */
export async function readEntry<T>(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  schema: z.ZodType<T>,
): Promise<Entry<T> | undefined> {
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
  options: WriteOptions,
): Promise<Written> {
  const subject = `$KV.${bucket}.${key}`;
  const { expectedRevision, unlessWritten, ttlSeconds } = options;
  return put(access, subject, encodeWithin(value, access.bus.maxPayload(), subject), {
    ttlSeconds,
    ...(expectedRevision !== undefined && { expect: { lastSubjectSequence: expectedRevision } }),
    ...(unlessWritten !== undefined && { expect: neverWritten(`$KV.${bucket}.${unlessWritten}`) }),
  });
}

/** Leaves a tombstone, which those who watch the bucket are told; not of an entry that somebody has written since. @throws bus-unreachable, store-unavailable */
export async function deleteEntry(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  expectedRevision: number,
  ttlSeconds?: number,
): Promise<Written> {
  const tombstone = headers();
  tombstone.set('KV-Operation', 'DEL');
  const expect = { lastSubjectSequence: expectedRevision };
  return put(access, `$KV.${bucket}.${key}`, new Uint8Array(), { expect, ttlSeconds, headers: tombstone });
}

/**
 * Without a trace: nobody is told. @param keys may end in `.*` @param upTo what was written after this revision stays
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

const neverWritten = (subject: string) => ({ lastSubjectSequence: 0, lastSubjectSequenceSubject: subject });

type Put = Pick<JetStreamPublishOptions, 'expect' | 'headers'>;

async function put(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  { ttlSeconds, ...options }: Partial<Put> & { ttlSeconds: number | undefined },
): Promise<Written> {
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

export function conflictError(key: string): MillraceError {
  return new MillraceError('state-conflict', `${key} was written by somebody else in between.`, { path: key });
}
