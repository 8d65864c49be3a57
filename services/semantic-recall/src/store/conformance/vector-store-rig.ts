// A store under test, with its own space for each test, and the queries of the suites.
import { afterEach, beforeEach } from 'vitest';
import type { NearestQuery, SurroundingQuery, VectorBlock, VectorSpace, VectorStore } from '../vector-store.ts';

export type VectorStoreSetup = {
  /** Returns a store on the same data for each call within one test. */
  open: () => Promise<VectorStore>;
  /** Deletes the points that a test saved to a space. */
  clean?: (space: VectorSpace) => Promise<void>;
};

export type VectorStoreRig = {
  readonly store: VectorStore;
  readonly space: VectorSpace;
  /** Creates one more space that is cleaned like the first, with its own embedder by default. */
  createSpace(dimensions: number, embedder?: string): VectorSpace;
  save(...given: Parameters<typeof block>): Promise<void>;
  findNearest(query?: Partial<NearestQuery>): ReturnType<VectorStore['findNearest']>;
  /** Texts of the nearest messages. */
  listTexts(query?: Partial<NearestQuery>): Promise<string[]>;
  /** Texts around the message with `text`, in order. */
  findSurrounding(text: string, query?: Partial<SurroundingQuery>): Promise<string[]>;
};

/** An erasure of an owner reaches all collections of the server, and other files use the server at the same time: the tenant is unique. */
export const ada = { tenant: crypto.randomUUID(), key: 'ada' };

/** Builds a run's block from texts (no bare numbers) and their vectors, user and assistant in turn. */
export function block(
  runId: string,
  vectors: Record<string, number[]>,
  changes: Partial<VectorBlock> = {},
): VectorBlock {
  const messages = Object.entries(vectors).map(([text, vector], at) => ({
    messageId: `${runId}-${at}`,
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
    createdAt: '2026-11-20T10:00:00.000Z',
    trust: at % 2 === 0 ? ('trusted' as const) : ('untrusted' as const),
    vector,
  }));
  return { ...ada, threadId: 't1', runId, epoch: 1, messages, ...changes };
}

/** Call this in a describe. */
export function useVectorStore({ open, clean }: VectorStoreSetup): VectorStoreRig {
  let current: { store: VectorStore; space: VectorSpace } | undefined;
  const used: VectorSpace[] = [];
  const createSpace = (dimensions: number, embedder = `test/${crypto.randomUUID()}`) => {
    const made = { embedder, dimensions };
    used.push(made);
    return made;
  };
  beforeEach(async () => {
    current = { store: await open(), space: createSpace(3) };
  });
  afterEach(async () => {
    await current?.store.close();
    for (const one of used.splice(0)) await clean?.(one);
  });

  const getCurrent = () => {
    if (current === undefined) throw new Error('useVectorStore: the store is there only while a test runs');
    return current;
  };
  const findNearest = (query: Partial<NearestQuery> = {}) => {
    const any = { owner: ada, threadId: undefined, exceptRunId: 'now', topK: 10, threshold: undefined };
    return getCurrent().store.findNearest(getCurrent().space, { ...any, vector: [1, 0, 0], ...query });
  };
  return {
    get store() {
      return getCurrent().store;
    },
    get space() {
      return getCurrent().space;
    },
    createSpace,
    save: (...given) => getCurrent().store.saveRun(getCurrent().space, block(...given)),
    findNearest,
    listTexts: async (query) => (await findNearest(query)).map((hit) => hit.text),
    async findSurrounding(text, query = {}) {
      const around = (await findNearest({ topK: 100 })).filter((hit) => hit.text === text);
      const beside = { owner: ada, exceptRunId: 'now', around, before: 1, after: 1, ...query };
      const found = await getCurrent().store.findSurrounding(getCurrent().space, beside);
      return found.toSorted((a, b) => a.order - b.order).map((one) => one.text);
    },
  };
}
