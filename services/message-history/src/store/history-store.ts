// The contract of a history store: threads, and their messages in blocks, one block a run. Whoever implements it runs the
// conformance suite (conformance/history-store.ts), which says the same in tests. What it guarantees:
//
// - Order is the thread's own sequence, never time: a run's block stands whole, in one piece, where its first save put it.
// - A save happens as a whole or not at all, whoever is killed in between, and saving twice is saving once.
// - Nothing of a tenant is reached by way of another tenant, whatever the ids look like.
import type { Message, Thread } from '@millrace/contracts';

/** A thread is named by its tenant and its id: two tenants may use the same id. */
export type ThreadRef = { tenant: string; threadId: string };

/** What one run leaves in its thread. */
export type RunBlock = ThreadRef & {
  /** As memoryOwner() names it. */
  owner: string;
  runId: string;
  /** The owner of the run that saves. A lower one than has saved already is refused, a higher or equal one replaces. */
  epoch: number;
  /** In order; ids are distinct. Empty: what the run has saved before is removed, and no thread is created. */
  messages: readonly Message[];
};

/** `offset` counts from the first of the list. */
export type Page = { limit: number; offset: number };
export type MessagePage = { messages: Message[]; total: number };
/** `leftOut`: how many of those that were asked for did not fit into READ_MAX_BYTES. */
export type Recalled = { messages: Message[]; leftOut: number };
type ThreadPage = { threads: Thread[]; total: number };

/** The most messages that one block may hold. Why it is bounded: see DESIGN.md, "Order". */
export const MAX_BLOCK_MESSAGES = 10_000;

/** The most bytes of messages, as JSON, that one read gives: an answer must fit into one message of the bus (1 MiB by default). */
export const READ_MAX_BYTES = 512 * 1024;

/** How deep a list of threads may be read, offset and limit together: a tenant's list is merged from parts that are all read. */
export const MAX_LIST_DEPTH = 10_000;

/** Of so many of a thread's last blocks, or up to twice as many, a store knows which run has saved them. */
export const RUN_MARKS_KEPT = 500;

/** The title of a thread that nobody has named. */
export { DEFAULT_THREAD_TITLE as DEFAULT_TITLE } from '@millrace/contracts';

/**
 * Every method may throw `store-unavailable` (the store did not answer in its time: ask again later) and `token-invalid` (the
 * tenant is not one), and throws the signal's reason where it has fired already.
 */
export type HistoryStore = {
  /**
   * The last `count` messages, oldest first; none where there is no such thread. Of those the newest that fit into READ_MAX_BYTES.
   * Costs in proportion to `count`, not to the thread.
   * @throws thread-foreign when the thread belongs to another resource
   */
  recallLast(thread: ThreadRef & { owner: string }, count: number, signal?: AbortSignal): Promise<Recalled>;
  /**
   * Saves a run's block as a whole, and creates its thread where there is none. A message whose id another run of the thread has
   * stored is that message: it stays as and where it is. A message that has the run's own id, and is there already, is not: it is
   * stored under another name (own-ids.ts). A run is known by its id for RUN_MARK_TTL_MS after its last save.
   * @throws thread-foreign, save-superseded, message-invalid (more than MAX_BLOCK_MESSAGES)
   */
  saveBlock(block: RunBlock, signal?: AbortSignal): Promise<void>;
  /**
   * Oldest first. Fewer than `limit` where more would not fit into READ_MAX_BYTES, at least one: the next page begins after them.
   * @throws thread-unknown
   */
  listMessages(thread: ThreadRef, page: Page, signal?: AbortSignal): Promise<MessagePage>;
  /** The last `count`, oldest first; fewer where more would not fit, as above. @throws thread-unknown */
  listLastMessages(thread: ThreadRef, count: number, signal?: AbortSignal): Promise<MessagePage>;
  /**
   * The most recently updated first; of one owner where it is named.
   * @throws message-invalid where offset and limit are more than MAX_LIST_DEPTH
   */
  listThreads(
    filter: { tenant: string; owner?: string | undefined },
    page: Page,
    signal?: AbortSignal,
  ): Promise<ThreadPage>;
  /** @throws thread-unknown */
  getThread(thread: ThreadRef, signal?: AbortSignal): Promise<Thread>;
  close(): Promise<void>;
};
