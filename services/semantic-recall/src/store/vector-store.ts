// The contract of a vector store: the messages of runs with their vectors, queried by similarity and by their order in the thread.
// Every implementation runs the conformance suite (conformance/vector-store.ts), which tests these guarantees:
//
// - A thread stores a message once, by its id and text: the first run that has it stores it, at that run's position.
// - A run's messages are one block: a repeated save replaces it, and a later owner of the run replaces an earlier one's. The store
//   knows a run by its id for RUN_MARK_TTL_MS; later the id names another run.
// - Blocks of one thread have distinct positions, even if runs end concurrently.
// - A completed save is visible to the next query.
// - Tenants and owners are isolated: no id of one finds or replaces points of another.
// - Vectors of different spaces never meet.
import { MillraceError, type Trust } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';

/** Vectors are comparable within one embedder only. `embedder` is any name that distinguishes two of them. */
export type VectorSpace = { embedder: string; dimensions: number };

/** `key`: as chooseMemoryOwner() names the owner. */
export type RecallOwner = { tenant: string; key: string };
export type RecallPlace = RecallOwner & { threadId: string };

/** A message as the guards accepted it. */
export type RecallMessage = {
  messageId: string;
  role: 'user' | 'assistant';
  text: string;
  /** ISO 8601. */
  createdAt: string;
  /** Untrusted if an earlier version of the service saved it. */
  trust: Trust;
};

export type VectorBlock = RecallPlace & {
  runId: string;
  /** Epoch of the run's owner that saves. The store rejects a lower epoch than the saved one. */
  epoch: number;
  /** In conversation order, at most MAX_RUN_MESSAGES; an empty list has no effect. Vectors have the space's length. */
  messages: readonly (RecallMessage & { vector: readonly number[] })[];
};

/** `order` ascends within a thread: a run's block is contiguous, at the position of its first save. */
export type RecalledMessage = RecallMessage & { threadId: string; runId: string; order: number };
/** `score`: cosine similarity, -1 to 1. */
export type RecallHit = RecalledMessage & { score: number };

/** `text`: the first TEXT_MAX_CHARS at most. */
export type ForgottenText = { messageId: string; text: string };

type ErasedVectors = { deleted: number; left: number };

export type NearestQuery = {
  owner: RecallOwner;
  /** Restricts the query to this thread; absent: all threads of the owner. */
  threadId: string | undefined;
  /** Excludes the messages of this run. */
  exceptRunId: string;
  /** Not all zeros. */
  vector: readonly number[];
  topK: number;
  /** Minimum score; absent: no minimum. */
  threshold: number | undefined;
};

export type SurroundingQuery = {
  owner: RecallOwner;
  exceptRunId: string;
  /** Origins of the query; the result excludes them. */
  around: readonly { threadId: string; order: number }[];
  /** Number of messages before and after each. */
  before: number;
  after: number;
};

/** Name of the store in error messages. */
export const STORE = 'vector store';

/** Maximum number of messages that one run can index: a position within a run is three digits of its order. */
export const MAX_RUN_MESSAGES = 1_000;

/**
 * Order of a message: its block's tick, then its position in the block. A tick is the millisecond of the block's first
 * save, or the next one that is free in the thread. Vector stores have no counters, so this is a clock, unlike the
 * sequence of message-history; only the messages around a hit depend on it.
 */
export const computeOrder = (tick: number, position: number): number => tick * MAX_RUN_MESSAGES + position;
export const readTick = (order: number): number => Math.floor(order / MAX_RUN_MESSAGES);

/**
 * Every method can throw `store-unavailable` (timeout or outage: retry later) and `token-invalid` (invalid tenant), and
 * throws the signal's reason if the signal is aborted.
 */
export type VectorStore = {
  /** @throws save-superseded, message-invalid (more than MAX_RUN_MESSAGES) */
  saveRun(space: VectorSpace, block: VectorBlock, signal?: AbortSignal): Promise<void>;
  /** Returns the point ids of those `messages` that other runs have saved in this thread with this text. */
  findKnown(
    space: VectorSpace,
    run: RecallPlace & { runId: string },
    messages: readonly RecallMessage[],
    signal?: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /** Nearest first. */
  findNearest(space: VectorSpace, query: NearestQuery, signal?: AbortSignal): Promise<RecallHit[]>;
  /** Unordered. A message next to two of `around` occurs once or twice. */
  findSurrounding(space: VectorSpace, query: SurroundingQuery, signal?: AbortSignal): Promise<RecalledMessage[]>;
  /** Deletes the messages of a thread from all spaces. Returns their number. */
  deleteThread(place: RecallPlace, signal?: AbortSignal): Promise<number>;
  /**
   * Deletes those messages of a thread, from all spaces, that have an id of the list with its text. White space does
   * not count. Returns their number.
   */
  deleteMessages(place: RecallPlace, messages: readonly ForgottenText[], signal?: AbortSignal): Promise<number>;
  /**
   * Deletes all messages of an owner from all spaces. From then on, for RUN_MARK_TTL_MS, the store rejects every save of
   * the runs, as far as its DESIGN.md states. Returns the number of messages, and that of a read after the deletion.
   */
  eraseOwner(owner: RecallOwner, runIds: readonly string[], signal?: AbortSignal): Promise<ErasedVectors>;
  close(): Promise<void>;
};

/** Rejects a block that a run cannot index. @throws token-invalid, message-invalid */
export function checkBlock({ tenant, runId, messages }: VectorBlock): void {
  checkTenant(tenant);
  if (messages.length <= MAX_RUN_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `Run "${runId}" has ${messages.length} messages; one run can index ${MAX_RUN_MESSAGES}.`,
    { remedy: 'Send fewer messages with a run. Messages that the thread already holds need not be sent again.' },
  );
}
