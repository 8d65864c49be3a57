// Conformance suite of vector stores. The test of each implementation calls it once.
import { RUN_MARK_TTL_MS } from '@millrace/stores';
import { describe, expect, test, vi } from 'vitest';
import { computePointId } from '../point-id.ts';
import { MAX_RUN_MESSAGES } from '../vector-store.ts';
import { describeDeleting } from './deleting.ts';
import { describeSurroundings } from './surroundings.ts';
import { ada, block, useVectorStore, type VectorStoreSetup } from './vector-store-rig.ts';

export function describeVectorStore(name: string, setup: VectorStoreSetup): void {
  describe(`${name}: vector store`, () => {
    const rig = useVectorStore(setup);

    test('an empty store finds nothing', async () => {
      expect(await rig.findNearest()).toEqual([]);
      const around = [{ threadId: 't1', order: 1 }];
      const query = { owner: ada, exceptRunId: 'now', around, before: 1, after: 1 };
      expect(await rig.store.findSurrounding(rig.space, query)).toEqual([]);
    });

    test('saved messages are found at once, nearest first, with their cosine', async () => {
      await rig.save('r1', { far: [0, 1, 0], near: [2, 0, 0], between: [1, 1, 0] });
      const hits = await rig.findNearest();
      expect(hits.map((hit) => hit.text)).toEqual(['near', 'between', 'far']);
      const cosines = [1, Math.SQRT1_2, 0].map((cosine): unknown => expect.closeTo(cosine, 5));
      expect(hits.map((hit) => hit.score)).toEqual(cosines);
      expect(hits[0]).toMatchObject({
        messageId: 'r1-1',
        role: 'assistant',
        text: 'near',
        createdAt: '2026-11-20T10:00:00.000Z',
        trust: 'untrusted',
        threadId: 't1',
        runId: 'r1',
      });
    });

    test('each message keeps its trust, also around a hit and after its run is saved again', async () => {
      await rig.save('r1', { user: [1, 0, 0], assistant: [0, 1, 0] });
      await rig.save('r1', { user: [1, 0, 0], assistant: [0, 1, 0] }, { epoch: 2 });
      const trusts = (await rig.findNearest()).map(({ text, trust }) => [text, trust]);
      expect(trusts).toEqual([
        ['user', 'trusted'],
        ['assistant', 'untrusted'],
      ]);
    });

    test('a query returns at most topK messages, all at or above the threshold', async () => {
      await rig.save('r1', { a: [1, 0, 0], b: [1, 1, 0], c: [0, 1, 0], d: [-1, 0, 0] });
      expect(await rig.listTexts({ topK: 2 })).toEqual(['a', 'b']);
      expect(await rig.listTexts({ threshold: 0.5 })).toEqual(['a', 'b']);
      expect(await rig.listTexts({ threshold: 0.5, topK: 1 })).toEqual(['a']);
      expect(await rig.listTexts({ threshold: -0.5 })).toEqual(['a', 'b', 'c']);
      expect(await rig.listTexts()).toHaveLength(4);
      expect(await rig.listTexts({ vector: [0, 0, 1], threshold: 0.1 })).toEqual([]);
    });

    test('a query searches the thread or all threads of the resource, without the messages of its own run', async () => {
      await rig.save('r1', { one: [1, 0, 0] });
      await rig.save('r2', { two: [1, 0.1, 0] }, { threadId: 't2' });
      expect(await rig.listTexts()).toEqual(['one', 'two']);
      expect(await rig.listTexts({ threadId: 't2' })).toEqual(['two']);
      expect(await rig.listTexts({ exceptRunId: 'r1' })).toEqual(['two']);
    });

    test('the store isolates tenants and resources with any characters in their ids', async () => {
      const owners = [
        ada,
        { tenant: 'other', key: 'ada' },
        { ...ada, key: 'ADA' },
        { ...ada, key: 'ada/t1' },
        { ...ada, key: '*' },
        { ...ada, key: "ada' OR 1=1 --" },
      ];
      for (const [at, owner] of owners.entries()) await rig.save(`r${at}`, { [`text ${at}`]: [1, 0, 0] }, owner);
      for (const [at, owner] of owners.entries()) expect(await rig.listTexts({ owner })).toEqual([`text ${at}`]);
      expect(await rig.listTexts({ owner: { ...ada, key: 'unknown' } })).toEqual([]);
    });

    test('one run id in two tenants names two runs', async () => {
      await rig.save('r1', { mine: [1, 0, 0] });
      await rig.save('r1', { theirs: [1, 0, 0] }, { tenant: 'other' });
      expect(await rig.listTexts()).toEqual(['mine']);
    });

    test.each(['', 'a b', '*', 'a'.repeat(65)])('the store rejects the tenant "%s"', async (tenant) => {
      const refused = { code: 'token-invalid' };
      await expect(rig.findNearest({ owner: { tenant, key: 'ada' } })).rejects.toMatchObject(refused);
      await expect(rig.save('r1', { a: [1, 0, 0] }, { tenant })).rejects.toMatchObject(refused);
    });

    test('a query never finds vectors of another embedder or of another length', async () => {
      const { store, space } = rig;
      await rig.save('r1', { ours: [1, 0, 0] });
      await store.saveRun(rig.createSpace(3), block('r1', { 'of another embedder': [1, 0, 0] }));
      await store.saveRun(rig.createSpace(2, space.embedder), block('r1', { 'of another length': [1, 0] }));
      expect(await rig.listTexts()).toEqual(['ours']);
    });

    test('a repeated save has no effect', async () => {
      const vectors = { a: [1, 0, 0], b: [0, 1, 0] };
      await rig.save('r1', vectors);
      const before = await rig.findNearest();
      await rig.save('r1', vectors);
      expect(await rig.findNearest()).toEqual(before);
    });

    test("a later owner replaces the run's block in place, and the store rejects an earlier one", async () => {
      await rig.save('r1', { first: [1, 0, 0], removed: [0, 1, 0] }, { epoch: 1 });
      const [before] = await rig.findNearest({ topK: 1 });
      await rig.save('r1', { second: [1, 0, 0] }, { epoch: 3 });
      expect(await rig.findNearest()).toMatchObject([{ text: 'second', order: before?.order }]);
      const late = rig.save('r1', { late: [1, 0, 0], later: [1, 0, 0] }, { epoch: 2 });
      await expect(late).rejects.toMatchObject({ code: 'save-superseded' });
      expect(await rig.listTexts()).toEqual(['second']);
    });

    test('a run id in another thread or of another owner is another run and replaces nothing of the first', async () => {
      await rig.save('r1', { first: [1, 0, 0], second: [0, 1, 0] }, { epoch: 3 });
      await rig.save('r1', { elsewhere: [1, 0, 0] }, { threadId: 't2' });
      await rig.save('r1', { 'of eve': [1, 0, 0] }, { key: 'eve', epoch: 9 });
      await rig.save('r1', { 'first anew': [1, 0, 0] }, { epoch: 4 });
      expect((await rig.listTexts()).toSorted()).toEqual(['elsewhere', 'first anew']);
      expect(await rig.listTexts({ owner: { ...ada, key: 'eve' } })).toEqual(['of eve']);
    });

    test('a reused run id, after its first run expired, is another run: both blocks remain', async () => {
      await rig.save('r1', { before: [1, 0, 0] }, { epoch: 2 });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RUN_MARK_TTL_MS + 60_000 });
      try {
        await rig.save('r1', { after: [1, 0, 0] }, { epoch: 1 });
        await rig.save('r1', { 'after, anew': [1, 0, 0] }, { epoch: 2 });
      } finally {
        vi.useRealTimers();
      }
      expect((await rig.listTexts()).toSorted()).toEqual(['after, anew', 'before']);
    });

    test('history that is sent again is stored once, at its first position, and reported as known', async () => {
      const { store, space } = rig;
      const history = block('r1', { question: [1, 0, 0], answer: [0, 1, 0] });
      await store.saveRun(space, history);
      const [first] = await rig.findNearest({ topK: 1 });
      const again = {
        ...history,
        runId: 'r2',
        messages: [...history.messages, ...block('r2', { more: [0, 0, 1] }).messages],
      };
      const ids = again.messages.map((message) => computePointId(again, message));
      expect(await store.findKnown(space, again, again.messages)).toEqual(new Set(ids.slice(0, 2)));
      expect(await store.findKnown(space, history, history.messages)).toEqual(new Set());
      expect(await store.findKnown(space, { ...again, threadId: 't2' }, again.messages)).toEqual(new Set());
      await store.saveRun(space, again);
      expect((await rig.listTexts()).toSorted()).toEqual(['answer', 'more', 'question']);
      expect(await rig.findNearest({ topK: 1 })).toEqual([first]);
    });

    test('a block without messages has no effect, and the store rejects a block with too many', async () => {
      await rig.save('r1', {});
      const numbers = Array.from({ length: MAX_RUN_MESSAGES + 1 }, (_, at) => [`text ${at}`, [1, 0, 0]] as const);
      const many = rig.save('r2', Object.fromEntries(numbers.map(([text, vector]) => [text, [...vector]])));
      await expect(many).rejects.toMatchObject({ code: 'message-invalid' });
      expect(await rig.findNearest()).toEqual([]);
    });

    test('the store returns any text unchanged', async () => {
      const text = 'line\nline "quoted" \'; 😀 ﬁ \u0000 end';
      await rig.save('r1', { [text]: [1, 0, 0] });
      expect(await rig.listTexts()).toEqual([text]);
    });

    test('concurrent stores save to a new space without losing a message', async () => {
      const stores = await Promise.all([setup.open(), setup.open(), setup.open()]);
      const saving = stores.flatMap((store, by) =>
        ['a', 'b', 'c', 'd'].map((run) => ({ store, text: `${run}${by}`, vector: [1, by, 0] })),
      );
      await Promise.all(
        saving.map(({ store, text, vector }) => store.saveRun(rig.space, block(text, { [text]: vector }))),
      );
      const saved = await rig.listTexts({ topK: 100 });
      expect(saved).toHaveLength(12);
      expect(new Set(saved)).toEqual(new Set(saving.map(({ text }) => text)));
      await Promise.all(stores.map((store) => store.close()));
    });

    test('the store gives an aborted caller no answer and saves nothing', async () => {
      const { store, space } = rig;
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(store.saveRun(space, block('r1', { a: [1, 0, 0] }), signal)).rejects.toThrow('enough');
      const query = { owner: ada, threadId: undefined, exceptRunId: '', topK: 1, threshold: undefined };
      await expect(store.findNearest(space, { ...query, vector: [1, 0, 0] }, signal)).rejects.toThrow('enough');
      expect(await rig.findNearest()).toEqual([]);
    });

    describeDeleting(rig);
    describeSurroundings(rig);
  });
}
