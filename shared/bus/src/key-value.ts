// Entries of a key-value bucket, typed, written by compare-and-set. Reads go to the stream's leader: a replica may be behind,
// and an owner that reads its own write back must see it. `kv.update` has no TTL, so the writes are plain publishes with the
// expected sequence (architecture.md, section 8).
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError, type StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import type { z } from 'zod';
import { WRONG_LAST_SEQUENCE, isCode, type JetStreamAccess } from './topology.ts';
import { decode, encodeWithin } from './wire.ts';

export type Entry<T> = { value: T; revision: number };
/** `conflict`: somebody else wrote first. */
export type Written = { revision: number } | { conflict: true };

const WRITE_TIMEOUT_MS = 5_000;
const NOT_FOUND = 10037;

export type WriteOptions = {
  expectedRevision: number;
  ttlSeconds?: number;
  /** With `expectedRevision` 0: an entry that was deleted may be there again. */
  overDeleted?: boolean;
};

/** @throws message-invalid when what is stored does not fit */
export async function readEntry<T>(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  schema: z.ZodType<T>,
): Promise<Entry<T> | undefined> {
  const subject = `$KV.${bucket}.${key}`;
  try {
    const stored = await access.jsm.streams.getMessage(`KV_${bucket}`, { last_by_subj: subject });
    if (!stored || isMarker(stored)) return undefined;
    const value = decode(stored.data, schema, subject);
    if ('error' in value) throw value.error;
    return { value: value.ok, revision: stored.seq };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}

/** What stands for an entry that was deleted or has expired. */
function isMarker({ header, data }: StoredMsg): boolean {
  return header.get('KV-Operation') !== '' || data.length === 0;
}

/** `expectedRevision` 0: the entry must not be there yet. @throws message-too-large; what JetStream throws otherwise */
export async function writeEntry(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  value: unknown,
  { expectedRevision, ttlSeconds, overDeleted = false }: WriteOptions,
): Promise<Written> {
  const subject = `$KV.${bucket}.${key}`;
  const payload = encodeWithin(value, access.bus.maxPayload(), subject);
  const options = ttlSeconds !== undefined && { ttl: `${ttlSeconds}s` };
  const written = await putMessage(access, subject, payload, expectedRevision, options || {});
  if ('revision' in written || !overDeleted || expectedRevision !== 0) return written;
  const last = await access.jsm.streams.getMessage(`KV_${bucket}`, { last_by_subj: subject });
  return last && isMarker(last) ? putMessage(access, subject, payload, last.seq, options || {}) : written;
}

/** Leaves a marker, which those who watch the bucket are told. */
export function deleteEntry(
  access: JetStreamAccess,
  bucket: string,
  key: string,
  expectedRevision: number,
): Promise<Written> {
  const marker = headers();
  marker.set('KV-Operation', 'DEL');
  return putMessage(access, `$KV.${bucket}.${key}`, new Uint8Array(), expectedRevision, { headers: marker });
}

async function putMessage(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  expectedRevision: number,
  options: { ttl?: string; headers?: MsgHdrs },
): Promise<Written> {
  try {
    const acked = await access.js.publish(subject, payload, {
      expect: { lastSubjectSequence: expectedRevision },
      timeout: WRITE_TIMEOUT_MS,
      retries: 0,
      ...options,
    });
    return { revision: acked.seq };
  } catch (error) {
    if (isCode(error, WRONG_LAST_SEQUENCE)) return { conflict: true };
    throw error;
  }
}

export function conflictError(key: string): MillraceError {
  return new MillraceError('state-conflict', `${key} was written by somebody else in between.`, { path: key });
}
