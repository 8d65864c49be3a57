// The contract of a vector store: the messages of runs with their vectors, found again by nearness and by their place in the
// thread. Whoever implements it runs the conformance suite (testing/vector-store-suite.ts), which says the same in tests. What it
// guarantees:
//
// - A run's messages are one block: saving it again replaces it, a later owner of the run replaces an earlier one's.
// - Who has saved finds it at once.
// - Nothing of a tenant or a resource is found by way of another one, whatever the ids look like.
// - Vectors of different spaces never meet.

/** Vectors can be compared within one embedder only. `embedder` is any name that tells two of them apart. */
export type VectorSpace = { embedder: string; dimensions: number };

/** `key`: as memoryOwner() names it. */
export type RecallOwner = { tenant: string; key: string };

/** A message as it was let through. */
export type RecallMessage = {
  messageId: string;
  role: 'user' | 'assistant';
  text: string;
  /** ISO 8601. */
  createdAt: string;
};

export type RunBlock = RecallOwner & {
  threadId: string;
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
  /** Only in this thread; absent: in all threads of the resource. */
  threadId: string | undefined;
  /** This run's own messages are left out. */
  exceptRunId: string;
  /** Not all zeros. */
  vector: readonly number[];
  topK: number;
  /** The least score that counts; absent: all. */
  threshold: number | undefined;
};

export type NeighbourQuery = {
  owner: RecallOwner;
  exceptRunId: string;
  /** Whose neighbours; they are not among the answer. */
  around: readonly { threadId: string; order: number }[];
  /** How many before and after each. */
  before: number;
  after: number;
};

/** What one run may index: positions within a run are three digits of its order. */
export const MAX_RUN_MESSAGES = 1_000;

/**
 * The order of a message: when its run was first saved (ms since 1970), then its position. Vector stores have no counters, so
 * this is a clock where message-history has a sequence; what depends on it is which messages stand beside a hit, no more.
 */
export const orderOf = (savedAt: number, position: number): number => savedAt * MAX_RUN_MESSAGES + position;
export const savedAtOf = (order: number): number => Math.floor(order / MAX_RUN_MESSAGES);

/**
 * Every method may throw `store-unavailable` (the store did not answer in its time: ask again later) and `token-invalid` (the
 * tenant is not one), and throws the signal's reason where it has fired.
 */
export type VectorStore = {
  /** @throws save-superseded, message-invalid (more than MAX_RUN_MESSAGES) */
  saveRun(space: VectorSpace, block: RunBlock, signal?: AbortSignal): Promise<void>;
  /** The nearest first. */
  findNearest(space: VectorSpace, query: NearestQuery, signal?: AbortSignal): Promise<Hit[]>;
  /** In no order; one that is the neighbour of two is there once or twice. */
  findNeighbours(space: VectorSpace, query: NeighbourQuery, signal?: AbortSignal): Promise<Recalled[]>;
  close(): Promise<void>;
};
