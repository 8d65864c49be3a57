// What every vector store must do. Each implementation's test calls this once.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  MAX_RUN_MESSAGES,
  type NearestQuery,
  type NeighbourQuery,
  type RunBlock,
  type VectorSpace,
  type VectorStore,
} from '../vector-store.ts';

export type VectorStoreSetup = {
  /** A store on the same data each time it is called within one test. */
  open: () => Promise<VectorStore>;
  /** Removes what a test has put into a space. */
  clean?: (space: VectorSpace) => Promise<void>;
};

const ada = { tenant: 'default', resourceId: 'ada' };

/** A run's block: what was said and where it points, user and assistant in turn. */
function block(runId: string, said: [text: string, vector: number[]][], changes: Partial<RunBlock> = {}): RunBlock {
  const messages = said.map(([text, vector], at) => ({
    messageId: `${runId}-${at}`,
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
    createdAt: '2026-11-20T10:00:00.000Z',
    vector,
  }));
  return { ...ada, threadId: 't1', runId, epoch: 1, messages, ...changes };
}

export function describeVectorStore(name: string, { open, clean }: VectorStoreSetup): void {
  describe(`${name}: vector store`, () => {
    let store: VectorStore;
    let space: VectorSpace;
    const used: VectorSpace[] = [];
    const aSpace = (dimensions: number) => {
      const made = { embedder: `test/${crypto.randomUUID()}`, dimensions };
      used.push(made);
      return made;
    };
    beforeEach(async () => {
      store = await open();
      space = aSpace(3);
    });
    afterEach(async () => {
      await store.close();
      for (const one of used.splice(0)) await clean?.(one);
    });

    const nearest = (query: Partial<NearestQuery> = {}) =>
      store.findNearest(space, {
        owner: ada,
        threadId: undefined,
        exceptRunId: 'now',
        vector: [1, 0, 0],
        topK: 10,
        threshold: undefined,
        ...query,
      });
    const texts = async (query?: Partial<NearestQuery>) => (await nearest(query)).map((hit) => hit.text);
    const neighbours = async (text: string, query: Partial<NeighbourQuery> = {}) => {
      const around = (await nearest({ topK: 100 })).filter((hit) => hit.text === text);
      const found = await store.findNeighbours(space, {
        owner: ada,
        exceptRunId: 'now',
        around,
        before: 1,
        after: 1,
        ...query,
      });
      return found.toSorted((a, b) => a.order - b.order).map((one) => one.text);
    };

    test('nobody has saved: nothing is found', async () => {
      expect(await nearest()).toEqual([]);
      const around = [{ threadId: 't1', order: 1 }];
      const query = { owner: ada, exceptRunId: 'now', around, before: 1, after: 1 };
      expect(await store.findNeighbours(space, query)).toEqual([]);
    });

    test('what was saved is found at once, the nearest first, with its cosine', async () => {
      await store.saveRun(
        space,
        block('r1', [
          ['far', [0, 1, 0]],
          ['near', [2, 0, 0]],
          ['between', [1, 1, 0]],
        ]),
      );
      const hits = await nearest();
      expect(hits.map((hit) => hit.text)).toEqual(['near', 'between', 'far']);
      expect(hits.map((hit) => hit.score)).toEqual([
        expect.closeTo(1, 5),
        expect.closeTo(Math.SQRT1_2, 5),
        expect.closeTo(0, 5),
      ]);
      expect(hits[0]).toMatchObject({
        messageId: 'r1-1',
        role: 'assistant',
        text: 'near',
        createdAt: '2026-11-20T10:00:00.000Z',
        threadId: 't1',
        runId: 'r1',
      });
    });

    test('at most topK, and only what reaches the threshold', async () => {
      await store.saveRun(
        space,
        block('r1', [
          ['a', [1, 0, 0]],
          ['b', [1, 1, 0]],
          ['c', [0, 1, 0]],
          ['d', [-1, 0, 0]],
        ]),
      );
      expect(await texts({ topK: 2 })).toEqual(['a', 'b']);
      expect(await texts({ threshold: 0.5 })).toEqual(['a', 'b']);
      expect(await texts({ threshold: 0.5, topK: 1 })).toEqual(['a']);
      expect(await texts({ threshold: -0.5 })).toEqual(['a', 'b', 'c']);
      expect(await texts()).toHaveLength(4);
      expect(await texts({ vector: [0, 0, 1], threshold: 0.1 })).toEqual([]);
    });

    test('a thread’s own, or all of the resource’s; never the run’s that asks', async () => {
      await store.saveRun(space, block('r1', [['one', [1, 0, 0]]]));
      await store.saveRun(space, block('r2', [['two', [1, 0.1, 0]]], { threadId: 't2' }));
      expect(await texts()).toEqual(['one', 'two']);
      expect(await texts({ threadId: 't2' })).toEqual(['two']);
      expect(await texts({ exceptRunId: 'r1' })).toEqual(['two']);
    });

    test('tenants and resources never meet, whatever their ids look like', async () => {
      const owners = [
        ada,
        { tenant: 'other', resourceId: 'ada' },
        { tenant: 'default', resourceId: 'ADA' },
        { tenant: 'default', resourceId: 'ada/t1' },
        { tenant: 'default', resourceId: '*' },
        { tenant: 'default', resourceId: "ada' OR 1=1 --" },
      ];
      for (const [at, owner] of owners.entries()) {
        await store.saveRun(space, block(`r${at}`, [[`text ${at}`, [1, 0, 0]]], owner));
      }
      for (const [at, owner] of owners.entries()) expect(await texts({ owner })).toEqual([`text ${at}`]);
      expect(await texts({ owner: { tenant: 'default', resourceId: 'nobody' } })).toEqual([]);
    });

    test('one run id in two tenants is two runs', async () => {
      await store.saveRun(space, block('r1', [['mine', [1, 0, 0]]]));
      await store.saveRun(space, block('r1', [['theirs', [1, 0, 0]]], { tenant: 'other' }));
      expect(await texts()).toEqual(['mine']);
    });

    test.each(['', 'a b', '*', 'a'.repeat(65)])('"%s" is no tenant', async (tenant) => {
      const refused = { code: 'token-invalid' };
      const owner = { tenant, resourceId: 'ada' };
      await expect(nearest({ owner })).rejects.toMatchObject(refused);
      await expect(store.saveRun(space, block('r1', [['a', [1, 0, 0]]], { tenant }))).rejects.toMatchObject(refused);
    });

    test('vectors of another embedder, or of another length, are never found', async () => {
      const others = [aSpace(3), { ...space, dimensions: 2 }];
      used.push(...others);
      await store.saveRun(space, block('r1', [['ours', [1, 0, 0]]]));
      for (const [at, other] of others.entries()) {
        await store.saveRun(other, block('r1', [[`other ${at}`, at === 0 ? [1, 0, 0] : [1, 0]]]));
      }
      expect(await texts()).toEqual(['ours']);
    });

    test('saving twice is saving once', async () => {
      const saved = block('r1', [
        ['a', [1, 0, 0]],
        ['b', [0, 1, 0]],
      ]);
      await store.saveRun(space, saved);
      const before = await nearest();
      await store.saveRun(space, saved);
      expect(await nearest()).toEqual(before);
    });

    test('a later owner replaces the run’s block where it stands, an earlier one is refused', async () => {
      await store.saveRun(
        space,
        block(
          'r1',
          [
            ['first', [1, 0, 0]],
            ['gone', [0, 1, 0]],
          ],
          { epoch: 1 },
        ),
      );
      const place = (await nearest({ topK: 1 }))[0]?.order;
      await store.saveRun(space, block('r1', [['second', [1, 0, 0]]], { epoch: 3 }));
      expect(await nearest()).toMatchObject([{ text: 'second', order: place }]);
      const late = store.saveRun(
        space,
        block(
          'r1',
          [
            ['late', [1, 0, 0]],
            ['later', [1, 0, 0]],
          ],
          { epoch: 2 },
        ),
      );
      await expect(late).rejects.toMatchObject({ code: 'save-superseded' });
      expect(await texts()).toEqual(['second']);
    });

    test('no message is nothing to do, and too many are refused', async () => {
      await store.saveRun(space, block('r1', []));
      const many = Array.from({ length: MAX_RUN_MESSAGES + 1 }, (_, at): [string, number[]] => [`${at}`, [1, 0, 0]]);
      await expect(store.saveRun(space, block('r2', many))).rejects.toMatchObject({ code: 'message-invalid' });
      expect(await nearest()).toEqual([]);
    });

    test('neighbours stand before and after, over the bounds of runs, in their thread only', async () => {
      await store.saveRun(
        space,
        block('r1', [
          ['a', [1, 0, 0]],
          ['b', [0, 1, 0]],
        ]),
      );
      await store.saveRun(space, block('x', [['elsewhere', [0, 1, 0]]], { threadId: 't2' }));
      await nextMillisecond();
      await store.saveRun(
        space,
        block('r2', [
          ['c', [0, 0, 1]],
          ['d', [0, 1, 1]],
        ]),
      );
      expect(await neighbours('b')).toEqual(['a', 'c']);
      expect(await neighbours('a')).toEqual(['b']);
      expect(await neighbours('d')).toEqual(['c']);
      expect(await neighbours('c', { before: 2, after: 0 })).toEqual(['a', 'b']);
      expect(await neighbours('c', { before: 0, after: 5 })).toEqual(['d']);
      expect(await neighbours('c', { before: 0, after: 0 })).toEqual([]);
      expect(await neighbours('b', { exceptRunId: 'r2' })).toEqual(['a']);
      expect(await neighbours('elsewhere')).toEqual([]);
    });

    test('neighbours of another tenant or resource are nobody’s', async () => {
      await store.saveRun(
        space,
        block('r1', [
          ['a', [1, 0, 0]],
          ['b', [0, 1, 0]],
        ]),
      );
      expect(await neighbours('b', { owner: { tenant: 'other', resourceId: 'ada' } })).toEqual([]);
      expect(await neighbours('b', { owner: { tenant: 'default', resourceId: 'eve' } })).toEqual([]);
    });

    test('a run that is saved again keeps its place among its neighbours', async () => {
      await store.saveRun(space, block('r1', [['a', [1, 0, 0]]]));
      await nextMillisecond();
      await store.saveRun(space, block('r2', [['b', [0, 1, 0]]]));
      await nextMillisecond();
      await store.saveRun(space, block('r1', [['a again', [1, 0, 0]]], { epoch: 2 }));
      expect(await neighbours('b')).toEqual(['a again']);
      expect(await neighbours('b', { before: 0 })).toEqual([]);
    });

    test('any text comes back as it was', async () => {
      const text = 'line\nline "quoted" \'; 😀 ﬁ \u0000 end';
      await store.saveRun(space, block('r1', [[text, [1, 0, 0]]]));
      expect(await texts()).toEqual([text]);
    });

    test('many stores save into a new space at once, and none is lost', async () => {
      const stores = await Promise.all([open(), open(), open()]);
      const runs = Array.from({ length: 4 }, (_, at) => `r${at}`);
      await Promise.all(
        stores.flatMap((one, by) =>
          runs.map((runId) => one.saveRun(space, block(`${by}${runId}`, [[`${by}${runId}`, [1, by, 0]]]))),
        ),
      );
      const saved = await texts({ topK: 100 });
      expect(new Set(saved)).toEqual(new Set([0, 1, 2].flatMap((by) => runs.map((runId) => `${by}${runId}`))));
      expect(saved).toHaveLength(12);
      await Promise.all(stores.map((one) => one.close()));
    });

    test('who has given up is not answered, and saves nothing', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(store.saveRun(space, block('r1', [['a', [1, 0, 0]]]), signal)).rejects.toThrow('enough');
      const query = {
        owner: ada,
        threadId: undefined,
        exceptRunId: 'now',
        vector: [1, 0, 0],
        topK: 1,
        threshold: undefined,
      };
      await expect(store.findNearest(space, query, signal)).rejects.toThrow('enough');
      expect(await nearest()).toEqual([]);
    });
  });
}

/** Blocks are ordered by when they were first saved, in ms. Turns of the event loop, not a pause. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => void setImmediate(resolve));
}
