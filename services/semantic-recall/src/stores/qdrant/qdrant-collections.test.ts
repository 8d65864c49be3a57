import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQdrantCollections } from './qdrant-collections.ts';

const space = { embedder: 'test', dimensions: 3 };

// The runner fails on an unhandled rejection, as the process would.
test('a failed creation does not end the process if all callers stopped waiting', async () => {
  let requests = 0;
  const collections = createQdrantCollections({
    call() {
      requests += 1;
      return Promise.reject(new Error('Qdrant is away'));
    },
  });
  await expect(collections.ensure(space, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
  await nextTurn();
  expect(requests).toBe(1);
  await expect(collections.ensure(space)).rejects.toThrow('Qdrant is away');
  expect(requests).toBe(2);
});
