// Runs against the Qdrant of the test run; without one it is skipped.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { findQdrant } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildCollectionName } from '../../store/point-id.ts';
import { createQdrant, type Qdrant } from './qdrant-client.ts';
import { createQdrantVectorStore } from './qdrant-vector-store.ts';
import { describeVectorStore } from '../../store/conformance/vector-store.ts';
import type { VectorSpace } from '../../store/vector-store.ts';

/** Tests answers, not speed: the replacement server shares two cores with other tests. */
const patientMs = 15_000;
const { QDRANT_URL: url, QDRANT_API_KEY: apiKey } = findQdrant() ?? {};

describe('Qdrant', () => {
  beforeEach(({ skip }) => {
    if (!url) skip('this run has no Qdrant');
  });
  const qdrant = createQdrant({ url: url ?? 'http://127.0.0.1:1', apiKey, timeoutMs: patientMs });
  const clean = async (space: VectorSpace) => {
    if (!url) return;
    const collection_name = buildCollectionName(space);
    await qdrant.call('delete', undefined, (api, init) => api.deleteCollection({ collection_name }, init));
  };
  describeVectorStore('Qdrant', { open: async () => createQdrantVectorStore(qdrant), clean });

  const owner = { tenant: crypto.randomUUID(), key: 'ada' };
  const message = {
    messageId: 'm',
    role: 'user' as const,
    text: 'hello',
    createdAt: '',
    trust: 'trusted' as const,
    vector: [1, 0],
  };
  const run = { ...owner, threadId: 't1', runId: 'r1', epoch: 1, messages: [message] };
  const query = { owner, threadId: undefined, exceptRunId: '', vector: [1, 0], topK: 5, threshold: undefined };

  describe('a save of an erased run in Qdrant', () => {
    let space: VectorSpace;
    beforeEach(() => {
      space = { embedder: `test/${crypto.randomUUID()}`, dimensions: 2 };
    });
    afterEach(() => clean(space));
    const listTexts = async () =>
      (await createQdrantVectorStore(qdrant).findNearest(space, query)).map(({ text }) => text);
    /** A client whose requests to write wait for `release`, as those of a stalled process do. */
    const stallWrites = () => {
      const written = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const call: Qdrant['call'] = async (what, ...rest) => {
        if (what !== 'save a run') return qdrant.call(what, ...rest);
        written.resolve();
        await released.promise;
        return qdrant.call(what, ...rest);
      };
      return { stalled: { call }, written: written.promise, release: released.resolve };
    };

    test('leaves nothing if its write arrives after both deletions of the erasure', async () => {
      const store = createQdrantVectorStore(qdrant);
      const { stalled, written, release } = stallWrites();
      const runId = crypto.randomUUID();
      const saving = createQdrantVectorStore(stalled).saveRun(space, { ...run, runId });
      await written;
      for (let pass = 0; pass < 2; pass += 1) await store.eraseOwner(owner, [runId]);
      release();
      await expect(saving).rejects.toMatchObject({ code: 'save-superseded' });
      expect(await listTexts()).toEqual([]);
      await store.saveRun(space, { ...run, runId: crypto.randomUUID() });
      expect(await listTexts()).toEqual(['hello']);
    });

    test('leaves nothing if its caller has given up before the write arrives', async () => {
      const store = createQdrantVectorStore(qdrant);
      const runId = crypto.randomUUID();
      const controller = new AbortController();
      // The server stores the points, and the caller receives no answer.
      const call: Qdrant['call'] = async (what, signal, ...rest) => {
        if (what !== 'save a run') return qdrant.call(what, signal, ...rest);
        await store.eraseOwner(owner, [runId]);
        await qdrant.call(what, undefined, ...rest);
        controller.abort(new Error('given up'));
        throw new Error('given up');
      };
      const saving = createQdrantVectorStore({ call }).saveRun(space, { ...run, runId }, controller.signal);
      await expect(saving).rejects.toThrow('given up');
      expect(await listTexts()).toEqual([]);
    });
  });

  describe('collections of Qdrant', () => {
    let space: VectorSpace;
    beforeEach(() => {
      space = { embedder: `test/${crypto.randomUUID()}`, dimensions: 2 };
    });
    afterEach(() => clean(space));

    test('a collection has cosine distance and its indexes if several replicas create it', async () => {
      const stores = Array.from({ length: 5 }, () => createQdrantVectorStore(qdrant));
      await Promise.all(
        stores.map((store, at) =>
          store.saveRun(space, { ...run, runId: `r${at}`, messages: [{ ...message, messageId: `m${at}` }] }),
        ),
      );
      const collection_name = buildCollectionName(space);
      const { data } = await qdrant.call('look', undefined, (api, init) =>
        api.getCollection({ collection_name }, init),
      );
      expect(data.result?.config.params.vectors).toMatchObject({ size: 2, distance: 'Cosine' });
      expect(Object.keys(data.result?.payload_schema ?? {})).toEqual(
        expect.arrayContaining(['tenant', 'resource', 'thread', 'run', 'epoch', 'order']),
      );
      expect(await stores[0]?.findNearest(space, query)).toHaveLength(5);
    });

    test('the store creates a deleted collection again', async () => {
      const store = createQdrantVectorStore(qdrant);
      await store.saveRun(space, run);
      await clean(space);
      expect(await store.findNearest(space, query)).toEqual([]);
      await store.saveRun(space, run);
      expect(await store.findNearest(space, query)).toMatchObject([{ text: 'hello' }]);
    });

    test('an erasure succeeds if a listed collection is deleted before its points are counted', async () => {
      const store = createQdrantVectorStore(qdrant);
      const dropped = { ...space, embedder: `${space.embedder}-dropped` };
      await store.saveRun(space, run);
      await store.saveRun(dropped, run);
      const call: Qdrant['call'] = async (what, ...rest) => {
        if (what === 'count messages') await clean(dropped);
        return qdrant.call(what, ...rest);
      };
      expect(await createQdrantVectorStore({ call }).eraseOwner(owner, [])).toEqual({ deleted: 1, left: 0 });
    });

    test("the error quotes Qdrant's reason", async () => {
      const store = createQdrantVectorStore(qdrant);
      await store.saveRun(space, run);
      await expect(store.findNearest(space, { ...query, vector: [1, 0, 0] })).rejects.toMatchObject({
        code: 'store-unavailable',
        message: expect.stringMatching(/HTTP 400.*dim/),
      });
    });
  });
});

describe('an unreachable Qdrant', () => {
  const space = { embedder: 'test', dimensions: 2 };
  const owner = { tenant: 'default', key: 'ada' };
  const query = { owner, threadId: undefined, exceptRunId: '', vector: [1, 0], topK: 5, threshold: undefined };
  const search = (qdrant: Qdrant, signal?: AbortSignal) =>
    createQdrantVectorStore(qdrant).findNearest(space, query, signal);

  test('a call to an unreachable Qdrant fails as unavailable, with the reason', async () => {
    await expect(search(createQdrant({ url: 'http://127.0.0.1:1' }))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/did not search: .*(ECONNREFUSED|bad port)/),
    });
  });

  test('a call to a Qdrant that does not respond ends when its caller aborts', async () => {
    const controller = new AbortController();
    const silent = createServer(() => controller.abort(new Error('enough')));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(search(createQdrant({ url: `http://127.0.0.1:${port}` }), controller.signal)).rejects.toThrow(
      'enough',
    );
    silent.closeAllConnections();
    silent.close();
  });
});
