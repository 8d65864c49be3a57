// Saves of memories that wait for their store, as every orchestrator sees them: a small entry each, watched, and beside it what is to be
// saved. An entry is written by compare-and-set, so that one orchestrator at a time is at it. What is left of a try that was lost is
// done again: saving twice is saving once.
import {
  keptSaveSchema,
  putOffSaveSchema,
  saveKey,
  stateKeys,
  type KeptSave,
  type PlanEntry,
  type PutOffSave,
} from '@millrace/contracts';
import {
  deleteEntry,
  locateEntry,
  readEntry,
  watchBucket,
  writeEntry,
  type Entry,
  type JetStreamAccess,
} from '@millrace/bus';
import type { z } from 'zod';
import { DEAD_LETTER_TTL_SECONDS } from './dead-letters.ts';
import { throughOutages } from './through-outages.ts';

/** The longest time for which a save may be tried, by configuration. */
export const MAX_WAIT_HOURS = 7 * 24;
/** Of a tenant: beyond it a save is lost, as one that cannot be put off. */
const MAX_PUT_OFF_SAVES = 10_000;
/** What was removed is forgotten after this: long enough for whoever watches. */
const TOMBSTONE_SECONDS = 60;

/** A save is given up before: docs/semantics.md, section 11. */
const WAITING_TTL_SECONDS = (MAX_WAIT_HOURS + 24) * 3_600;
/** As long as it may wait, and then as long as its dead letter. */
const KEPT_TTL_SECONDS = WAITING_TTL_SECONDS + DEAD_LETTER_TTL_SECONDS;

export type Waiting = Entry<PutOffSave>;
type NewSave = Omit<PutOffSave, 'epoch' | 'place' | 'tries' | 'timeouts' | 'since' | 'nextAt'>;

/** Whether the entry's save may be made after the run has ended, because the agent accepts a run that the memory has not saved. */
export const isDeferrable = ({ memory, onFailure }: PlanEntry): boolean => memory && onFailure === 'skip';

export type PutOffSaves = {
  /** Whether an earlier run of the thread has not been saved yet: who comes now comes after it. */
  isWaiting(tenant: string, threadId: string | undefined): boolean;
  /** A tenant's, or a thread's, the first to be made first. */
  list(tenant: string, threadId?: string): PutOffSave[];
  /** False: there are too many. @throws message-too-large, bus-unreachable, store-unavailable */
  add(save: NewSave, kept: KeptSave): Promise<boolean>;
  /** The first of each thread that may be tried now. */
  due(now: number): Waiting[];
  /** What is to be saved; undefined: it is no longer kept. */
  read(save: PutOffSave): Promise<KeptSave | undefined>;
  /** Undefined: somebody else has written it since. */
  change(waiting: Waiting, change: Partial<PutOffSave>): Promise<Waiting | undefined>;
  /** It waits no longer. What it was to store is forgotten where it `isMade`, and else kept for its dead letter. */
  remove(waiting: Waiting, isMade: boolean): Promise<void>;
  /** The bucket was made anew: what it had is forgotten. */
  reload(): Promise<void>;
  stop(): void;
};

const epochOfSave = ({ epoch }: PutOffSave): number => epoch;

type Written<T> = { schema: z.ZodType<T>; epochOf: (value: T) => number; ttlSeconds: number };

/** What an owner that was replaced writes late must not stand for what a later one has put off. undefined: that is there. */
async function writeUnlessLater<T>(
  access: JetStreamAccess,
  { bucket, key }: { bucket: string; key: string },
  value: T,
  { schema, epochOf, ttlSeconds }: Written<T>,
): Promise<number | undefined> {
  for (;;) {
    const there = await locateEntry(access, bucket, key, schema);
    if ('value' in there && epochOf(there.value) > epochOf(value)) return undefined;
    const written = await writeEntry(access, bucket, key, value, { expectedRevision: there.revision, ttlSeconds });
    if ('revision' in written) return written.revision;
  }
}

export async function openPutOffSaves(access: JetStreamAccess): Promise<PutOffSaves> {
  const bucket = access.bus.names.saves;
  const known = new Map<string, Waiting>();
  const keyOf = ({ tenant, runId }: Pick<PutOffSave, 'tenant' | 'runId'>) => saveKey(tenant, runId);
  const take = (key: string, entry: Waiting) => {
    const there = known.get(key);
    // One's own write is known before the watch brings it, and may be followed by an older one.
    if (!there || there.revision < entry.revision) known.set(key, entry);
  };
  const watch = () =>
    watchBucket(access, bucket, putOffSaveSchema, { put: take, removed: (key) => void known.delete(key) });
  let stop = await watch();
  const inOrder = (entries: Iterable<Waiting>) =>
    [...entries].toSorted(
      ({ value: one }, { value: other }) => one.place - other.place || (one.runId < other.runId ? -1 : 1),
    );
  const ofThread = (tenant: string, threadId: string | undefined) =>
    inOrder(known.values()).filter(({ value }) => value.tenant === tenant && value.threadId === threadId);
  const forget = async ({ tenant, runId }: PutOffSave) => {
    const key = stateKeys.save(tenant, runId);
    const there = await locateEntry(access, access.bus.names.state, key, keptSaveSchema);
    await deleteEntry(access, access.bus.names.state, key, there.revision, TOMBSTONE_SECONDS);
  };
  return {
    isWaiting: (tenant, threadId) =>
      threadId !== undefined &&
      [...known.values()].some(({ value }) => value.tenant === tenant && value.threadId === threadId),
    list: (tenant, threadId) =>
      inOrder(known.values())
        .map(({ value }) => value)
        .filter((save) => save.tenant === tenant && (threadId === undefined || save.threadId === threadId)),
    async add(save, kept) {
      const { tenant, runId, threadId } = save;
      const all = [...known.values()].filter(({ value }) => value.tenant === tenant);
      if (all.length >= MAX_PUT_OFF_SAVES) return false;
      const now = access.clock.now();
      // Clocks of orchestrators differ: who comes after one that waits is after it. What an owner that was lost has put off keeps its place.
      const own = known.get(keyOf(save))?.value.place;
      const place = own ?? Math.max(now, (ofThread(tenant, threadId).at(-1)?.value.place ?? 0) + 1);
      const { epoch } = kept.ref;
      const entry: PutOffSave = { ...save, epoch, since: now, place, tries: 0, timeouts: 0, nextAt: now };
      const keptKey = { bucket: access.bus.names.state, key: stateKeys.save(tenant, runId) };
      const epochOfKept = ({ ref }: KeptSave) => ref.epoch;
      await throughOutages(`the save of ${tenant}.${runId}`, async () => {
        const keeping = { schema: keptSaveSchema, epochOf: epochOfKept, ttlSeconds: KEPT_TTL_SECONDS };
        if ((await writeUnlessLater(access, keptKey, kept, keeping)) === undefined) return;
        const waiting = { schema: putOffSaveSchema, epochOf: epochOfSave, ttlSeconds: WAITING_TTL_SECONDS };
        const revision = await writeUnlessLater(access, { bucket, key: keyOf(save) }, entry, waiting);
        if (revision !== undefined) take(keyOf(save), { value: entry, revision });
      });
      return true;
    },
    due(now) {
      const first = new Map<string, Waiting>();
      for (const waiting of inOrder(known.values())) {
        const { tenant, threadId, runId } = waiting.value;
        const thread = JSON.stringify([tenant, threadId ?? '', threadId === undefined ? runId : '']);
        if (!first.has(thread)) first.set(thread, waiting);
      }
      return [...first.values()].filter(({ value }) => value.nextAt <= now);
    },
    read: async ({ tenant, runId }) =>
      (await readEntry(access, access.bus.names.state, stateKeys.save(tenant, runId), keptSaveSchema))?.value,
    async change({ value, revision }, change) {
      const next = { ...value, ...change };
      const options = { expectedRevision: revision, ttlSeconds: WAITING_TTL_SECONDS };
      const written = await writeEntry(access, bucket, keyOf(value), next, options);
      if ('conflict' in written) return undefined;
      const entry = { value: next, revision: written.revision };
      take(keyOf(value), entry);
      return entry;
    },
    async remove({ value, revision }, isMade) {
      const deleted = await deleteEntry(access, bucket, keyOf(value), revision, TOMBSTONE_SECONDS);
      if ('conflict' in deleted) return;
      known.delete(keyOf(value));
      // Last: an entry without what it is to store would be taken for one whose state was lost.
      if (isMade) await forget(value);
    },
    async reload() {
      stop();
      known.clear();
      stop = await watch();
    },
    stop: () => stop(),
  };
}
