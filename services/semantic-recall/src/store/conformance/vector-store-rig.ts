// A store under test, in a space of its own for each test, and the questions that the suites ask it.
import { afterEach, beforeEach } from 'vitest';
import type { NearestQuery, SurroundingQuery, RunBlock, VectorSpace, VectorStore } from '../vector-store.ts';

export type VectorStoreSetup = {
  /** A store on the same data each time it is called within one test. */
  open: () => Promise<VectorStore>;
  /** Removes what a test has put into a space. */
  clean?: (space: VectorSpace) => Promise<void>;
};

export type VectorStoreRig = {
  readonly store: VectorStore;
  readonly space: VectorSpace;
  /** One more space, cleaned like the first; of an embedder of its own unless one is named. */
  newSpace(dimensions: number, embedder?: string): VectorSpace;
  save(...given: Parameters<typeof block>): Promise<void>;
  nearest(query?: Partial<NearestQuery>): ReturnType<VectorStore['findNearest']>;
  /** Of the nearest. */
  texts(query?: Partial<NearestQuery>): Promise<string[]>;
  /** The texts around the message that says `text`, in order. */
  surrounding(text: string, query?: Partial<SurroundingQuery>): Promise<string[]>;
};

export const ada = { tenant: 'default', key: 'ada' };

/** A run's block: what was said (no bare numbers) and where it points, user and assistant in turn. */
export function block(runId: string, said: Record<string, number[]>, changes: Partial<RunBlock> = {}): RunBlock {
  const messages = Object.entries(said).map(([text, vector], at) => ({
    messageId: `${runId}-${at}`,
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
    createdAt: '2026-11-20T10:00:00.000Z',
    vector,
  }));
  return { ...ada, threadId: 't1', runId, epoch: 1, messages, ...changes };
}

/** Call it in a describe. */
export function useVectorStore({ open, clean }: VectorStoreSetup): VectorStoreRig {
  let current: { store: VectorStore; space: VectorSpace } | undefined;
  const used: VectorSpace[] = [];
  const newSpace = (dimensions: number, embedder = `test/${crypto.randomUUID()}`) => {
    const made = { embedder, dimensions };
    used.push(made);
    return made;
  };
  beforeEach(async () => {
    current = { store: await open(), space: newSpace(3) };
  });
  afterEach(async () => {
    await current?.store.close();
    for (const one of used.splice(0)) await clean?.(one);
  });

  const now = () => {
    if (current === undefined) throw new Error('useVectorStore: the store is there only while a test runs');
    return current;
  };
  const nearest = (query: Partial<NearestQuery> = {}) => {
    const any = { owner: ada, threadId: undefined, exceptRunId: 'now', topK: 10, threshold: undefined };
    return now().store.findNearest(now().space, { ...any, vector: [1, 0, 0], ...query });
  };
  return {
    get store() {
      return now().store;
    },
    get space() {
      return now().space;
    },
    newSpace,
    save: (...given) => now().store.saveRun(now().space, block(...given)),
    nearest,
    texts: async (query) => (await nearest(query)).map((hit) => hit.text),
    async surrounding(text, query = {}) {
      const around = (await nearest({ topK: 100 })).filter((hit) => hit.text === text);
      const beside = { owner: ada, exceptRunId: 'now', around, before: 1, after: 1, ...query };
      const found = await now().store.findSurrounding(now().space, beside);
      return found.toSorted((a, b) => a.order - b.order).map((one) => one.text);
    },
  };
}
