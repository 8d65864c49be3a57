// The contract of a working-memory store. Every implementation runs the conformance suite (conformance/memory-store.ts), which tests
// these guarantees:
//
// - A write succeeds only on the version that the writer has read: concurrent runs lose no update.
// - One owner of a run writes once: a repeated call, for example after a lost answer, changes nothing.
// - The trust of a memory is that of its last write. A write of an earlier version of the service leaves it untrusted.
// - Tenants and resources are isolated: no id of one reaches data of another.
import { ERASED_EPOCH, type ErasedRun, type JsonObject, type Trust } from '@millrace/contracts';

/** Owner of a memory: `key` as chooseMemoryOwner() names it; with `threadId`, one thread of that owner. */
export type MemoryOwner = { tenant: string; key: string; threadId?: string | undefined };

/**
 * `memory` is null and `version` 0 if nothing was ever written, or the memory was forgotten. `trust`: the lowest trust of the texts that the memory was
 * derived from; untrusted if an earlier version of the service wrote it.
 */
export type MemoryRecord = { memory: JsonObject | null; version: number; trust: Trust };

/** A run and the epoch of its writing owner. */
export type RunMark = { runId: string; epoch: number };

export type MemoryWrite = {
  owner: MemoryOwner;
  run: RunMark;
  /** Version that `memory` was derived from. */
  version: number;
  /** null: the memory is empty from then on; its version still increases. */
  memory: JsonObject | null;
  /** Default: untrusted. */
  trust?: Trust;
};

export type WriteOutcome =
  | { outcome: 'written' }
  /** This owner of the run has written before; that write remains. */
  | { outcome: 'repeated' }
  /** A later owner of the run has written: this one is fenced. */
  | { outcome: 'superseded'; epoch: number }
  /** Another run wrote first: derive the memory again from its version. */
  | ({ outcome: 'conflict' } & MemoryRecord);

/** Name of the store in error messages. */
export const STORE = 'working-memory store';

/**
 * Every method can throw `store-unavailable` (timeout or outage: retry later) and `token-invalid` (invalid tenant), and
 * throws the signal's reason if the signal is aborted.
 */
export type WorkingMemoryStore = {
  read(owner: MemoryOwner, signal?: AbortSignal): Promise<MemoryRecord>;
  /** Returns the memory, and the last epoch in which the run wrote to it; 0 if it never did. */
  readForRun(owner: MemoryOwner, runId: string, signal?: AbortSignal): Promise<MemoryRecord & { writtenEpoch: number }>;
  /** The memory outlives RUN_MARK_TTL_MS; only the mark of the run expires. */
  compareAndSet(write: MemoryWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Marks the run as finished with the memory without a write, as if it had written. */
  markRun(owner: MemoryOwner, run: RunMark, signal?: AbortSignal): Promise<void>;
  /** Deletes a memory and its version; the marks of runs stay. Returns whether there was one. */
  forget(owner: MemoryOwner, signal?: AbortSignal): Promise<boolean>;
  /**
   * Deletes every memory of an owner, of its threads too. From then on, for RUN_MARK_TTL_MS, the named runs write
   * nothing. Returns the number of memories, and that of a read after the deletion.
   */
  eraseOwner(
    owner: Omit<MemoryOwner, 'threadId'>,
    runs: readonly ErasedRun[],
    signal?: AbortSignal,
  ): Promise<{ deleted: number; left: number }>;
  close(): Promise<void>;
};

/** Returns the memories that a run of the owner may write, with the mark that rejects every epoch of the run. */
export function listErasedMarks(
  owner: Omit<MemoryOwner, 'threadId'>,
  runs: readonly ErasedRun[],
): { owner: MemoryOwner; mark: RunMark }[] {
  return runs.flatMap(({ runId, threadId }) => {
    const mark = { runId, epoch: ERASED_EPOCH };
    const own = { owner, mark };
    return threadId === undefined ? [own] : [own, { owner: { ...owner, threadId }, mark }];
  });
}
