// Limits of streams in bytes, which the server reserves. If a server processes two updates of one stream at the same time, it counts the
// reservation twice or releases it twice, and can refuse every further stream until it restarts. Orchestrators that start at the same time
// set the limits one after another.
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamConfig } from '@nats-io/jetstream';
import { z } from 'zod';
import { findConfigDifferences, createMismatchError, type WantedStream } from '../streams/ensure-config.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { STORAGE_IS_RESERVED, createMissingError, isCode } from '../streams/jetstream-errors.ts';
import { deleteEntry, locateEntry, writeEntry } from '../streams/key-value.ts';

/** The unreserved storage is at least as many times a default limit. */
const DEFAULT_PART = 4;
/** Key of the lease in the bucket of the runs' state. */
const LEASE_KEY = 'limits';
/** A crashed holder releases its lease after this time. */
const LEASE_SECONDS = 10;
const TOMBSTONE_SECONDS = 60;
const WAIT_MS = 50;
/** A start that waits longer sets the limits without the lease. */
const MAX_WAITS = 600;

type Limit = NonNullable<WantedStream['maxBytes']>;
type MissingLimit = { there: StreamConfig; limit: Limit };

/**
 * Sets the limits that the streams lack, while no other orchestrator does. The bucket of the state must exist.
 * @throws stream-mismatch if a configured limit does not fit; bus-unreachable, store-unavailable
 */
export async function ensureLimits(access: JetStreamAccess, wanted: readonly WantedStream[]): Promise<void> {
  if ((await listMissingLimits(access, wanted)).length === 0) return;
  await holdLease(access, async () => {
    for (const one of await listMissingLimits(access, wanted)) await setLimit(access, one);
  });
}

async function listMissingLimits({ jsm }: JetStreamAccess, wanted: readonly WantedStream[]): Promise<MissingLimit[]> {
  const compare = async ({ config: { name }, maxBytes: limit }: WantedStream): Promise<MissingLimit[]> => {
    if (!limit) return [];
    const there = await jsm.streams.info(name).then(
      (info) => info.config,
      (error: unknown) => Promise.reject(createMissingError(name, error)),
    );
    const isMissing = limit.isSet ? there.max_bytes !== limit.bytes : there.max_bytes <= 0;
    return isMissing ? [{ there, limit }] : [];
  };
  return (await Promise.all(wanted.map((one) => compare(one)))).flat();
}

/**
 * The server refuses a limit that does not fit. A configured limit fails then. A default is left out unless four times as much fits, which
 * the server answers when asked for that: limits that take all of a small store leave no room for the buckets, and the server's own limit
 * bounds the streams together.
 */
async function setLimit({ jsm }: JetStreamAccess, { there, limit: { bytes, isSet } }: MissingLimit): Promise<void> {
  const update = (max_bytes: number) => jsm.streams.update(there.name, { ...there, max_bytes });
  try {
    if (!isSet) await update(bytes * DEFAULT_PART);
    await update(bytes);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    if (isSet)
      throw createMismatchError(`Stream ${there.name}`, findConfigDifferences(there, { max_bytes: bytes }), cause);
    if (!isCode(error, STORAGE_IS_RESERVED)) throw createMissingError(there.name, error);
  }
}

/** Runs the task while this process holds the lease, and releases it. A lease that expires meanwhile costs reserved storage only. */
async function holdLease(access: JetStreamAccess, task: () => Promise<void>): Promise<void> {
  const bucket = access.bus.names.state;
  const revision = await acquireLease(access, bucket);
  try {
    await task();
  } finally {
    if (revision !== undefined) await deleteEntry(access, bucket, LEASE_KEY, revision, TOMBSTONE_SECONDS);
  }
}

/** Returns the revision of the lease; undefined: others held it for all of the time. */
async function acquireLease(access: JetStreamAccess, bucket: string): Promise<number | undefined> {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const there = await locateEntry(access, bucket, LEASE_KEY, z.unknown());
    if (!('value' in there)) {
      const options = { expectedRevision: there.revision, ttlSeconds: LEASE_SECONDS };
      const written = await writeEntry(access, bucket, LEASE_KEY, {}, options);
      if ('revision' in written) return written.revision;
    }
    await delay(WAIT_MS);
  }
  return undefined;
}
