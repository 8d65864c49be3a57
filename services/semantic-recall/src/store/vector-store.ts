// The contract of a vector store: the messages of runs with their vectors, found again by nearness and by their place in the
// thread. Whoever implements it runs the conformance suite (conformance/vector-store.ts), which says the same in tests. What it
// guarantees:
//
// - A message is kept once in its thread, by its id and text, whichever runs say it: by the first that did, where that one put it.
// - A run's messages are one block: saving it again replaces it, a later owner of the run replaces an earlier one's. A run is
//   known by its id for RUN_MARK_TTL_MS; after that the id is another run's.
// - Blocks of one thread do not share a place, also when runs end in one moment.
// - Who has saved finds it at once.
// - Nothing of a tenant or an owner is found or replaced by way of another one, whatever the ids look like.
// - Vectors of different spaces never meet.

/** Vectors can be compared within one embedder only. `embedder` is any name that tells two of them apart. */
export type VectorSpace = { embedder: string; dimensions: number };

/** `key`: as memoryOwner() names it. */
export type RecallOwner = { tenant: string; key: string };
export type RecallPlace = RecallOwner & { threadId: string };

/** A message as it was let through. */
export type RecallMessage = {
  messageId: string;
  role: 'user' | 'assistant';
  text: string;
  /** ISO 8601. */
  createdAt: string;
};

export type RunBlock = RecallPlace & {
  runId: string;
  /** The owner of the run that saves. A lower one than has saved already is refused. */
  epoch: number;
  /** In the order in which they were said, at most MAX_RUN_MESSAGES; none is nothing to do. Vectors of the space's length. */
  messages: readonly (RecallMessage & { vector: readonly number[] })[];
};

/** `order` ascends within a thread: a run's block stands whole, where it was first saved. */
export type Recalled = RecallMessage & { threadId: string; runId: string; order: number };
/** `score`: cosine similarity, -1 to 1. */
export type Hit = Recalled & { score: number };

export type NearestQuery = {
  owner: RecallOwner;
  /** Only in this thread; absent: in all threads of the owner. */
  threadId: string | undefined;
  /** This run's own messages are left out. */
  exceptRunId: string;
  /** Not all zeros. */
  vector: readonly number[];
  topK: number;
  /** The least score that counts; absent: all. */
  threshold: number | undefined;
};

export type SurroundingQuery = {
  owner: RecallOwner;
  exceptRunId: string;
  /** What stands beside these; they are not among the answer. */
  around: readonly { threadId: string; order: number }[];
  /** How many before and after each. */
  before: number;
  after: number;
};

/** As errors name it. */
export const STORE = 'vector store';

/** What one run may index: positions within a run are three digits of its order. */
export const MAX_RUN_MESSAGES = 1_000;

/**
 * The order of a message: its block's tick, then its position in the block. A tick is the millisecond in which the block was first
 * saved, or the next one that no other block of the thread has. Vector stores have no counters, so this is a clock where
 * message-history has a sequence; what depends on it is which messages stand beside a hit, no more.
 */
export const orderOf = (tick: number, position: number): number => tick * MAX_RUN_MESSAGES + position;
export const tickOf = (order: number): number => Math.floor(order / MAX_RUN_MESSAGES);

/**
 * Every method may throw `store-unavailable` (the store did not answer in its time: ask again later) and `token-invalid` (the
 * tenant is not one), and throws the signal's reason where it has fired.
 */
export type VectorStore = {
  /** @throws save-superseded, message-invalid (more than MAX_RUN_MESSAGES) */
  saveRun(space: VectorSpace, block: RunBlock, signal?: AbortSignal): Promise<void>;
  /** Those of `messages` that other runs have saved in this thread, with this text: point ids. */
  findKnown(
    space: VectorSpace,
    run: RecallPlace & { runId: string },
    messages: readonly RecallMessage[],
    signal?: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /** The nearest first. */
  findNearest(space: VectorSpace, query: NearestQuery, signal?: AbortSignal): Promise<Hit[]>;
  /** In no order; one that is beside two is there once or twice. */
  findSurrounding(space: VectorSpace, query: SurroundingQuery, signal?: AbortSignal): Promise<Recalled[]>;
  close(): Promise<void>;
};
