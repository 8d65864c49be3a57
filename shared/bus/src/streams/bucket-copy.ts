// Holds a copy of a small key-value bucket in memory. The copy follows the bucket, and has the writes of this process at once.
import type { z } from 'zod';
import { createRevisions, takeDelivered, takeOwn, type BucketRevisions } from './bucket-revisions.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import type { BucketEntry } from './key-value.ts';
import { watchBucket } from './watch-bucket.ts';

export type BucketCopy<T> = {
  get(key: string): BucketEntry<T> | undefined;
  list(): [string, BucketEntry<T>][];
  /** Takes an entry that this process has written. */
  put(key: string, entry: BucketEntry<T>): void;
  /** Takes the removal of an entry by this process. @param revision of the tombstone */
  remove(key: string, revision: number): void;
  /** Returns the newest revision that the watch has delivered. */
  readSeen(): number;
  /** Reads the bucket again, also if it was recreated: its revisions begin anew. The copy keeps its entries until then. */
  reload(): Promise<void>;
  stop(): void;
};

export type BucketCopyOptions = {
  /** Called for each removal that the watch delivers after the first read, unless a newer entry of the key is known. */
  onRemoved?: (key: string) => void;
};

/** Resolves after the first read. Use one for each process. */
export async function openBucketCopy<T>(
  access: JetStreamAccess,
  bucket: string,
  schema: z.ZodType<T>,
  { onRemoved }: BucketCopyOptions = {},
): Promise<BucketCopy<T>> {
  type WatchedRevisions = { state: BucketRevisions<T>; stop: () => void };
  /** The state that is read, and the one that a reload fills. */
  const states = new Set<BucketRevisions<T>>();
  const watch = async (): Promise<WatchedRevisions> => {
    const state = createRevisions<T>();
    states.add(state);
    // The watch delivers earlier removals first, which are no news.
    let isLoaded = false;
    try {
      const stop = await watchBucket(access, bucket, schema, {
        put: (key, { value, revision }) => void takeDelivered(state, key, revision, value),
        onRemoved: (key, revision) => {
          if (takeDelivered(state, key, revision) && isLoaded) onRemoved?.(key);
        },
      });
      isLoaded = true;
      return { state, stop };
    } catch (error) {
      states.delete(state);
      throw error;
    }
  };
  let current = await watch();
  let isStopped = false;
  return {
    get: (key) => current.state.entries.get(key),
    list: () => [...current.state.entries],
    put: (key, { value, revision }) => states.forEach((state) => takeOwn(state, key, revision, value)),
    remove: (key, revision) => states.forEach((state) => takeOwn(state, key, revision)),
    readSeen: () => current.state.seen,
    async reload() {
      const former = current;
      current = await watch();
      former.stop();
      states.delete(former.state);
      if (isStopped) current.stop();
    },
    stop: () => {
      isStopped = true;
      current.stop();
    },
  };
}
