// The contract of a working-memory store. Whoever implements it runs the conformance suite (conformance/memory-store.ts),
// which says the same in tests. What it guarantees:
//
// - A write happens only on top of the version that the writer has read: no update is lost between runs.
// - One owner of a run writes once: a call that is repeated, after an answer that got lost too, changes nothing.
// - Nothing of a tenant or a resource is reached by way of another one, whatever the ids look like.
import type { JsonObject } from '@millrace/contracts';

/** Whose memory it is: that of `key`, as memoryOwner() names it; where `threadId` is there, that of one thread of it. */
export type MemoryOwner = { tenant: string; key: string; threadId?: string | undefined };

/** `memory` is null, and `version` 0, where nothing was ever written. */
export type MemoryRecord = { memory: JsonObject | null; version: number };

/** A run, and which of its owners it is that writes. */
export type RunMark = { runId: string; epoch: number };

export type MemoryWrite = {
  owner: MemoryOwner;
  run: RunMark;
  /** The version that `memory` was made from. */
  version: number;
  memory: JsonObject;
};

export type WriteOutcome =
  | { outcome: 'written' }
  /** This owner of the run has written before; what it wrote then counts. */
  | { outcome: 'repeated' }
  /** A later owner of the run has written: this one is fenced. */
  | { outcome: 'superseded'; epoch: number }
  /** Somebody else wrote first: make the memory again from theirs. */
  | ({ outcome: 'conflict' } & MemoryRecord);

/** As errors name it. */
export const STORE = 'working-memory store';

/**
 * Every method may throw `store-unavailable` (the store did not answer in its time: ask again later) and `token-invalid` (the
 * tenant is not one), and throws the signal's reason where it has fired already.
 */
export type WorkingMemoryStore = {
  read(owner: MemoryOwner, signal?: AbortSignal): Promise<MemoryRecord>;
  /** The memory, and the last epoch of the run that has written to it; 0 where none has. */
  readForRun(owner: MemoryOwner, runId: string, signal?: AbortSignal): Promise<MemoryRecord & { writtenEpoch: number }>;
  /** Also after RUN_MARK_TTL_MS the memory stays; only that this run has written it is forgotten then. */
  compareAndSet(write: MemoryWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /** The run is done with the memory, and has nothing to write: as if it had written. */
  markRun(owner: MemoryOwner, run: RunMark, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};
