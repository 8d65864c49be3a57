// Deferred saves of memories, shared by all orchestrators: each save has a small watched entry and a stored input.
// Compare-and-set on the entry admits one orchestrator at a time. If an attempt is lost, another orchestrator repeats
// it: a save is idempotent.
import {
  keptSaveSchema,
  putOffSaveSchema,
  saveKey,
  stateKeys,
  type KeptSave,
  type PutOffSave,
} from '@millrace/contracts';
import {
  deleteEntry,
  locateEntry,
  openBucketCopy,
  readEntry,
  writeEntry,
  type BucketEntry,
  type JetStreamAccess,
} from '@millrace/bus';
import type { z } from 'zod';
import { DEAD_LETTER_TTL_SECONDS } from './dead-letters.ts';
import type { SaveQueue } from '../state/run-context.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** Maximum time for which a save is retried, by configuration. */
export const MAX_WAIT_HOURS = 7 * 24;
/** Per tenant. Further saves are lost, as saves that cannot be deferred. */
const MAX_PUT_OFF_SAVES = 10_000;
/** Lifetime of the tombstone of a removed entry: longer than any watcher lags behind. */
const TOMBSTONE_SECONDS = 60;

/** The saver abandons a save earlier: docs/semantics.md, section 11. */
const WAITING_TTL_SECONDS = (MAX_WAIT_HOURS + 24) * 3_600;
/** The maximum wait plus the lifetime of a dead letter. */
const KEPT_TTL_SECONDS = WAITING_TTL_SECONDS + DEAD_LETTER_TTL_SECONDS;

export type WaitingSave = BucketEntry<PutOffSave>;

export type DeferredSaves = SaveQueue & {
  /** Returns the deferred saves of a tenant or a thread, in the order in which they are made. */
  list(tenant: string, threadId?: string): PutOffSave[];
  /** Returns the first save of each thread if its next attempt is due. */
  listDue(now: number): WaitingSave[];
  /** Returns the input of the save, or undefined if it has expired. */
  readKept(save: PutOffSave): Promise<KeptSave | undefined>;
  /** Returns undefined if another orchestrator has written the entry since. */
  change(waiting: WaitingSave, change: Partial<PutOffSave>): Promise<WaitingSave | undefined>;
  /** Removes the entry. If `isMade`, its input is deleted too; otherwise the input stays for the dead letter. */
  remove(waiting: WaitingSave, isMade: boolean): Promise<void>;
  /** Removes the entry and its input, also of a save that another orchestrator makes now. */
  drop(save: PutOffSave): Promise<void>;
  /** Reads the bucket again, after it was recreated. */
  reload(): Promise<void>;
  stop(): void;
};

const readSaveEpoch = ({ epoch }: PutOffSave): number => epoch;

type WriteOptions<T> = { schema: z.ZodType<T>; readEpoch: (value: T) => number; ttlSeconds: number };

/**
 * Writes the value unless a later epoch has written one: a replaced owner must not overwrite its successor's save.
 * Returns undefined in that case.
 */
async function writeUnlessLater<T>(
  access: JetStreamAccess,
  { bucket, key }: { bucket: string; key: string },
  value: T,
  { schema, readEpoch, ttlSeconds }: WriteOptions<T>,
): Promise<number | undefined> {
  for (;;) {
    const there = await locateEntry(access, bucket, key, schema);
    if ('value' in there && readEpoch(there.value) > readEpoch(value)) return undefined;
    const written = await writeEntry(access, bucket, key, value, { expectedRevision: there.revision, ttlSeconds });
    if ('revision' in written) return written.revision;
  }
}

const sortByPlace = (entries: Iterable<WaitingSave>): WaitingSave[] =>
  [...entries].toSorted(
    ({ value: one }, { value: other }) => one.place - other.place || (one.runId < other.runId ? -1 : 1),
  );

/** The first save of each thread, and every save without a thread. */
function keepFirstOfThreads(entries: Iterable<WaitingSave>): WaitingSave[] {
  const first = new Map<string, WaitingSave>();
  for (const waiting of sortByPlace(entries)) {
    const { tenant, threadId, runId } = waiting.value;
    const thread = JSON.stringify([tenant, threadId ?? '', threadId === undefined ? runId : '']);
    if (!first.has(thread)) first.set(thread, waiting);
  }
  return [...first.values()];
}

/** Each attempt to save changes the entry, so that the revision that this process knows may be outdated. Returns that of the tombstone. */
async function deleteSave(access: JetStreamAccess, key: string): Promise<number> {
  const bucket = access.bus.names.saves;
  for (;;) {
    const there = await locateEntry(access, bucket, key, putOffSaveSchema);
    if (!('value' in there)) return there.revision;
    const deleted = await deleteEntry(access, bucket, key, there.revision, TOMBSTONE_SECONDS);
    if ('revision' in deleted) return deleted.revision;
  }
}

export async function openDeferredSaves(access: JetStreamAccess): Promise<DeferredSaves> {
  const bucket = access.bus.names.saves;
  const copy = await openBucketCopy(access, bucket, putOffSaveSchema);
  const listWaiting = () => copy.list().map(([, entry]) => entry);
  const makeKey = ({ tenant, runId }: Pick<PutOffSave, 'tenant' | 'runId'>) => saveKey(tenant, runId);
  const listThread = (tenant: string, threadId: string | undefined) =>
    sortByPlace(listWaiting()).filter(({ value }) => value.tenant === tenant && value.threadId === threadId);
  const forget = async ({ tenant, runId }: PutOffSave) => {
    const key = stateKeys.save(tenant, runId);
    const there = await locateEntry(access, access.bus.names.state, key, keptSaveSchema);
    await deleteEntry(access, access.bus.names.state, key, there.revision, TOMBSTONE_SECONDS);
  };
  return {
    isWaiting: (tenant, threadId) =>
      threadId !== undefined &&
      listWaiting().some(({ value }) => value.tenant === tenant && value.threadId === threadId),
    list: (tenant, threadId) =>
      sortByPlace(listWaiting())
        .map(({ value }) => value)
        .filter((save) => save.tenant === tenant && (threadId === undefined || save.threadId === threadId)),
    async add(save, kept) {
      const { tenant, runId, threadId } = save;
      const all = listWaiting().filter(({ value }) => value.tenant === tenant);
      if (all.length >= MAX_PUT_OFF_SAVES) return false;
      const now = access.clock.now();
      // The place is at least one above the thread's last one, because clocks of orchestrators differ. A save that a
      // lost owner deferred keeps its place.
      const own = copy.get(makeKey(save))?.value.place;
      const place = own ?? Math.max(now, (listThread(tenant, threadId).at(-1)?.value.place ?? 0) + 1);
      const { epoch } = kept.ref;
      const entry: PutOffSave = { ...save, epoch, since: now, place, tries: 0, timeouts: 0, nextAt: now };
      const keptKey = { bucket: access.bus.names.state, key: stateKeys.save(tenant, runId) };
      const readKeptEpoch = ({ ref }: KeptSave) => ref.epoch;
      await retryThroughOutages(`the save of ${tenant}.${runId}`, async () => {
        const keeping = { schema: keptSaveSchema, readEpoch: readKeptEpoch, ttlSeconds: KEPT_TTL_SECONDS };
        if ((await writeUnlessLater(access, keptKey, kept, keeping)) === undefined) return;
        const waiting = { schema: putOffSaveSchema, readEpoch: readSaveEpoch, ttlSeconds: WAITING_TTL_SECONDS };
        const revision = await writeUnlessLater(access, { bucket, key: makeKey(save) }, entry, waiting);
        if (revision !== undefined) copy.put(makeKey(save), { value: entry, revision });
      });
      return true;
    },
    listDue: (now) => keepFirstOfThreads(listWaiting()).filter(({ value }) => value.nextAt <= now),
    readKept: async ({ tenant, runId }) =>
      (await readEntry(access, access.bus.names.state, stateKeys.save(tenant, runId), keptSaveSchema))?.value,
    async change({ value, revision }, change) {
      const next = { ...value, ...change };
      const options = { expectedRevision: revision, ttlSeconds: WAITING_TTL_SECONDS };
      const written = await writeEntry(access, bucket, makeKey(value), next, options);
      if ('conflict' in written) return undefined;
      const entry = { value: next, revision: written.revision };
      copy.put(makeKey(value), entry);
      return entry;
    },
    async remove({ value, revision }, isMade) {
      const deleted = await deleteEntry(access, bucket, makeKey(value), revision, TOMBSTONE_SECONDS);
      if ('conflict' in deleted) return;
      copy.remove(makeKey(value), deleted.revision);
      // Deletes the input last: an entry without its input would look like one with a lost state.
      if (isMade) await forget(value);
    },
    async drop(save) {
      const key = makeKey(save);
      const before = copy.get(key)?.revision ?? 0;
      // An entry that was purged has left no tombstone.
      copy.remove(key, Math.max(before, await deleteSave(access, key)));
      await forget(save);
    },
    reload: copy.reload,
    stop: copy.stop,
  };
}
