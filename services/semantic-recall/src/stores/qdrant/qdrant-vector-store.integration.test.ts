// Runs against the Qdrant that QDRANT_URL names, else is skipped and says so.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectionName } from '../../store/collection-name.ts';
import { createQdrant, type Qdrant } from './qdrant-client.ts';
import { createQdrantVectorStore } from './qdrant-vector-store.ts';
import { describeVectorStore } from '../../store/conformance/vector-store.ts';
import type { VectorSpace } from '../../store/vector-store.ts';

/** What is tested is what Qdrant answers, not how fast: the stand-in shares two cores with other tests. */
const patientMs = 15_000;
const { QDRANT_URL: url, QDRANT_API_KEY: apiKey } = process.env;

// The default reporter counts what is skipped, and does not say why.
if (!url) process.stderr.write('The tests of the Qdrant store are skipped: QDRANT_URL is not set.\n');

describe('Qdrant', () => {
  beforeEach(({ skip }) => {
    if (!url) skip('no Qdrant: QDRANT_URL is not set');
  });
  const qdrant = createQdrant({ url: url ?? 'http://127.0.0.1:1', apiKey, timeoutMs: patientMs });
  const clean = async (space: VectorSpace) => {
    if (!url) return;
    const collection_name = collectionName(space);
    await qdrant.call('delete', undefined, (api, init) => api.deleteCollection({ collection_name }, init));
  };
  describeVectorStore('Qdrant', { open: async () => createQdrantVectorStore(qdrant), clean });

  const owner = { tenant: 'default', key: 'ada' };
  const message = { messageId: 'm', role: 'user' as const, text: 'hello', createdAt: '', vector: [1, 0] };
  const run = { ...owner, threadId: 't1', runId: 'r1', epoch: 1, messages: [message] };
  const query = { owner, threadId: undefined, exceptRunId: '', vector: [1, 0], topK: 5, threshold: undefined };

  describe('collections', () => {
    let space: VectorSpace;
    beforeEach(() => {
      space = { embedder: `test/${crypto.randomUUID()}`, dimensions: 2 };
    });
    afterEach(() => clean(space));

    test('a collection has cosine distance and its indexes, whoever of many makes it', async () => {
      const stores = Array.from({ length: 5 }, () => createQdrantVectorStore(qdrant));
      await Promise.all(
        stores.map((store, at) =>
          store.saveRun(space, { ...run, runId: `r${at}`, messages: [{ ...message, messageId: `m${at}` }] }),
        ),
      );
      const collection_name = collectionName(space);
      const { data } = await qdrant.call('look', undefined, (api, init) =>
        api.getCollection({ collection_name }, init),
      );
      expect(data.result?.config.params.vectors).toMatchObject({ size: 2, distance: 'Cosine' });
      expect(Object.keys(data.result?.payload_schema ?? {})).toEqual(
        expect.arrayContaining(['tenant', 'resource', 'thread', 'run', 'epoch', 'order']),
      );
      expect(await stores[0]?.findNearest(space, query)).toHaveLength(5);
    });

    test('a collection that somebody has deleted is made again', async () => {
      const store = createQdrantVectorStore(qdrant);
      await store.saveRun(space, run);
      await clean(space);
      expect(await store.findNearest(space, query)).toEqual([]);
      await store.saveRun(space, run);
      expect(await store.findNearest(space, query)).toMatchObject([{ text: 'hello' }]);
    });

    test('what Qdrant refuses is told in its own words', async () => {
      const store = createQdrantVectorStore(qdrant);
      await store.saveRun(space, run);
      await expect(store.findNearest(space, { ...query, vector: [1, 0, 0] })).rejects.toMatchObject({
        code: 'store-unavailable',
        message: expect.stringMatching(/HTTP 400.*dim/),
      });
    });
  });
});

describe('a Qdrant that is not there', () => {
  const space = { embedder: 'test', dimensions: 2 };
  const owner = { tenant: 'default', key: 'ada' };
  const query = { owner, threadId: undefined, exceptRunId: '', vector: [1, 0], topK: 5, threshold: undefined };
  const search = (qdrant: Qdrant, signal?: AbortSignal) =>
    createQdrantVectorStore(qdrant).findNearest(space, query, signal);

  test('fails as unavailable, with the reason', async () => {
    await expect(search(createQdrant({ url: 'http://127.0.0.1:1' }))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/did not search: .*(ECONNREFUSED|bad port)/),
    });
  });

  test('or does not answer, is given up when the caller does', async () => {
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
