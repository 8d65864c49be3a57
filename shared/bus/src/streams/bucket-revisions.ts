// The entries of a bucket in memory, by their revisions. The watch delivers revisions in order, and behind the writes of this process.
// Pure: an entry never gives way to an older revision, whatever the order of writes and deliveries.
import type { BucketEntry } from './key-value.ts';

export type BucketRevisions<T> = {
  entries: Map<string, BucketEntry<T>>;
  /** Revisions at which this process removed entries; the watch has not delivered them yet. */
  removals: Map<string, number>;
  /** The newest revision that the watch has delivered. */
  seen: number;
};

export const createRevisions = <T>(): BucketRevisions<T> => ({ entries: new Map(), removals: new Map(), seen: 0 });

/** @param value undefined: a removal @returns whether no newer revision of the key is known */
export function takeDelivered<T>(state: BucketRevisions<T>, key: string, revision: number, value?: T): boolean {
  state.seen = Math.max(state.seen, revision);
  if (readRevision(state, key) > revision) return false;
  state.removals.delete(key);
  if (value === undefined) state.entries.delete(key);
  else state.entries.set(key, { value, revision });
  return true;
}

/** Takes a write of this process. The watch has delivered it, or a later one, if it is not newer than `seen`. */
export function takeOwn<T>(state: BucketRevisions<T>, key: string, revision: number, value?: T): void {
  if (readRevision(state, key) > revision) return;
  if (value === undefined) state.entries.delete(key);
  if (revision <= state.seen) return;
  if (value === undefined) state.removals.set(key, revision);
  else {
    state.removals.delete(key);
    state.entries.set(key, { value, revision });
  }
}

const readRevision = <T>({ entries, removals }: BucketRevisions<T>, key: string): number =>
  entries.get(key)?.revision ?? removals.get(key) ?? 0;
