// The contract of a history store: threads, and their messages in blocks, one block per run. Every implementation runs the
// conformance suite (conformance/history-store.ts), which tests these guarantees:
//
// - The thread's own sequence determines the order, never time: a run's block is contiguous, at the position of its first save.
// - A save is atomic, even if the process is killed, and a repeated save has no effect.
// - Tenants are isolated: no id of one tenant reaches data of another.
import { DEFAULT_THREAD_TITLE, type JsonObject, type Message, type Thread } from '@millrace/contracts';

/** A thread is named by its tenant and its id: two tenants may use the same id. */
export type ThreadRef = { tenant: string; threadId: string };

/** `owner`: as chooseMemoryOwner() names it. A thread of another owner is unknown. */
export type OwnedThread = ThreadRef & { owner: string };

export type HistoryOwner = { tenant: string; owner: string };
export type HistoryRun = { runId: string; threadId: string };
export type ThreadTail = { ids: string[]; last?: string | undefined };
export type ErasedMessages = { deleted: number; left: number };

/** `metadata`: of the caller. `agents`: first entries of the list of agents; absent: the thread has no list. */
type ThreadStart = { title: string; metadata: JsonObject; agents?: readonly string[] | undefined };
/** Replaces the given members. */
type ThreadChange = { title?: string | undefined; metadata?: JsonObject | undefined };

/** The messages of one run in its thread. */
export type HistoryBlock = ThreadRef & {
  /** As chooseMemoryOwner() names the owner. */
  owner: string;
  runId: string;
  /** Agent of the run; absent: an operator saved the messages. `metadata.agents` of the thread lists the agents of all blocks. */
  agent?: string | undefined;
  /**
   * Epoch of the run's owner that saves. The store rejects a lower epoch than the saved one; a higher or equal one
   * replaces the block.
   */
  epoch: number;
  /**
   * In order, with distinct ids. An empty list removes the messages that the run saved before, and creates no thread.
   */
  messages: readonly Message[];
  /** Ids of messages that the save deletes, with the block as a whole: those of no message are ignored. An empty block deletes none. */
  replaces?: readonly string[];
  /** The block creates its thread, also without messages; a thread that another block has begun is refused. */
  begins?: ThreadStart | undefined;
};

/** `offset` counts from the start of the list. */
export type ListRange = { limit: number; offset: number };
/** Default of `maxBytes`: READ_MAX_BYTES. */
type ReadRange = ListRange & { maxBytes?: number };
export type MessagePage = { messages: Message[]; total: number };
/** `leftOut`: number of requested messages that did not fit READ_MAX_BYTES. */
export type RecentMessages = { messages: Message[]; leftOut: number };
type ThreadPage = { threads: Thread[]; total: number };

/** Maximum number of messages in one block. DESIGN.md, "Order", has the reason. */
export const MAX_BLOCK_MESSAGES = 10_000;

/** Maximum size of one read, in bytes of JSON: an answer must fit one bus message (1 MiB by default). */
export const READ_MAX_BYTES = 512 * 1024;

/** Maximum depth of a list of threads, offset plus limit: every part of a tenant's list is read and merged. */
export const MAX_LIST_DEPTH = 10_000;

/** Number of a thread's last blocks with a known run; up to twice as many are kept. */
export const RUN_MARKS_KEPT = 500;

/** Start of a thread that the block of a run begins. */
export const UNNAMED_THREAD: ThreadStart = { title: DEFAULT_THREAD_TITLE, metadata: {}, agents: [] };

/**
 * Every method can throw `store-unavailable` (timeout or outage: retry later) and `token-invalid` (invalid tenant), and
 * throws the signal's reason if the signal is aborted.
 */
export type HistoryStore = {
  /**
   * Returns the last `count` messages, oldest first; none if the thread does not exist. Returns the newest that fit
   * READ_MAX_BYTES. The cost grows with `count`, not with the thread.
   * @throws thread-foreign if the thread belongs to another resource
   */
  recallLast(thread: ThreadRef & { owner: string }, count: number, signal?: AbortSignal): Promise<RecentMessages>;
  /**
   * Saves a run's block atomically and creates its thread if necessary. A message with the id and the words of one that
   * another run of the thread has stored is the same message: it remains in place and unchanged. A message with other
   * words, and one with an id of the run itself that already exists, is a different one: the store renames it
   * (rename-taken.ts). The store knows a run's id for
   * RUN_MARK_TTL_MS after its last save.
   * @throws thread-foreign, save-superseded, message-invalid (more than MAX_BLOCK_MESSAGES), state-conflict (`begins`)
   */
  saveBlock(block: HistoryBlock, signal?: AbortSignal): Promise<void>;
  /**
   * Oldest first. Returns at least one message, and fewer than `limit` if more would exceed `maxBytes`; the next
   * page starts after them.
   * @throws thread-unknown
   */
  listMessages(thread: ThreadRef, page: ReadRange, signal?: AbortSignal): Promise<MessagePage>;
  /**
   * Returns the last `count` messages, oldest first; fewer if more would exceed READ_MAX_BYTES. @throws thread-unknown
   */
  listLastMessages(thread: ThreadRef, count: number, signal?: AbortSignal): Promise<MessagePage>;
  /**
   * Returns the most recently updated threads first; only those of `owner` if given.
   * @throws message-invalid if offset plus limit exceeds MAX_LIST_DEPTH
   */
  listThreads(
    filter: { tenant: string; owner?: string | undefined },
    page: ListRange,
    signal?: AbortSignal,
  ): Promise<ThreadPage>;
  /** @throws thread-unknown */
  getThread(thread: ThreadRef, signal?: AbortSignal): Promise<Thread>;
  /** Sets the title of a thread that has none. @throws thread-unknown, also for a thread of another owner */
  nameThread(thread: OwnedThread, title: string, signal?: AbortSignal): Promise<void>;
  /** @throws thread-unknown, also for a thread of another owner */
  updateThread(thread: OwnedThread, change: ThreadChange, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes the thread with its messages and the marks of its runs. A killed process leaves the whole
   * thread, or a thread without messages, or nothing. Returns the number of deleted messages.
   * @throws thread-unknown, also for a thread of another owner
   */
  deleteThread(thread: OwnedThread, signal?: AbortSignal): Promise<number>;
  /** Returns the messages with these ids that the thread has, in no order. @throws thread-unknown */
  findMessages(thread: OwnedThread, ids: readonly string[], signal?: AbortSignal): Promise<Message[]>;
  /**
   * Deletes messages, all or none of them, and keeps the thread. Ids without a message have no effect. Returns the
   * number of deleted messages. @throws thread-unknown, also for a thread of another owner
   */
  deleteMessages(thread: OwnedThread, ids: readonly string[], signal?: AbortSignal): Promise<number>;
  /**
   * Returns the ids of the message `from` and of all later ones, oldest first, at most `limit`; none if the thread has no such message. `last`:
   * the id of its last message. @throws thread-unknown, also for a thread of another owner
   */
  findTail(thread: OwnedThread, from: string, limit: number, signal?: AbortSignal): Promise<ThreadTail>;
  /**
   * Deletes the message `from` and all later ones, and keeps the thread. Returns the number of deleted messages: 0 if the thread has no message
   * `from`. @throws thread-unknown, also for a thread of another owner; state-conflict if `last` is not the id of the last message
   */
  truncateThread(thread: OwnedThread, cut: { from: string; last: string }, signal?: AbortSignal): Promise<number>;
  /**
   * Deletes every thread of an owner, and the named threads that have no other owner. From then on, for
   * RUN_MARK_TTL_MS, the store rejects every save of the named runs in their threads. Returns the number of deleted
   * messages, and the number of threads that a read after the deletion finds.
   */
  eraseOwner(owner: HistoryOwner, runs: readonly HistoryRun[], signal?: AbortSignal): Promise<ErasedMessages>;
  close(): Promise<void>;
};

/** The methods that change threads. */
export type ThreadEdits = Pick<
  HistoryStore,
  | 'updateThread'
  | 'nameThread'
  | 'deleteThread'
  | 'findMessages'
  | 'deleteMessages'
  | 'findTail'
  | 'truncateThread'
  | 'eraseOwner'
>;
