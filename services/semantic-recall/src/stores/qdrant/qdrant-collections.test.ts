import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQdrantCollections } from './qdrant-collections.ts';

const space = { embedder: 'test', dimensions: 3 };

// The runner fails on a rejection that nobody handles, and so would the process.
test('a failure of the making that everybody has stopped waiting for ends nothing', async () => {
  let asked = 0;
  const collections = createQdrantCollections({
    call() {
      asked += 1;
      return Promise.reject(new Error('Qdrant is away'));
    },
  });
  await expect(collections.ensure(space, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
  await nextTurn();
  expect(asked).toBe(1);
  await expect(collections.ensure(space)).rejects.toThrow('Qdrant is away');
  expect(asked).toBe(2);
});
