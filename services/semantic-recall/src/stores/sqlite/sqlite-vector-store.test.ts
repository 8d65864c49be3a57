import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countStoredText } from '@millrace/testkit';
import { openSqliteVectorStore } from './sqlite-vector-store.ts';
import { describeVectorStore } from '../../store/conformance/vector-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-recall-'));
});
afterEach(() => rm(folder, { recursive: true }));
const file = () => join(folder, 'made', 'recall.db');

const failToLoad = () => {
  throw new Error('there is no sqlite-vec for this platform');
};

describeVectorStore('SQLite with sqlite-vec', {
  open: async () => openSqliteVectorStore({ path: file(), onFallback: refuseFallback }),
});

describeVectorStore('SQLite without sqlite-vec', {
  open: async () => openSqliteVectorStore({ path: file(), loadExtension: failToLoad }),
});

/** If the extension cannot be loaded, the first suite would silently test the scan again. */
function refuseFallback(reason: string): never {
  throw new Error(`sqlite-vec was not loaded: ${reason}`);
}

test('the files of SQLite contain no text of an erased owner', async () => {
  const store = openSqliteVectorStore({ path: file(), onFallback: refuseFallback });
  const space = { embedder: 'test', dimensions: 2 };
  const owner = { tenant: 'default', key: 'ada' };
  const sent = { role: 'user' as const, createdAt: '', trust: 'trusted' as const, vector: [1, 0] };
  const messages = [{ ...sent, messageId: 'm', text: 'text of ada' }];
  await store.saveRun(space, { ...owner, threadId: 't', runId: 'r', epoch: 1, messages });
  expect(countStoredText(file(), 'text of ada')).toBeGreaterThan(0);
  await store.eraseOwner(owner, ['r']);
  expect(countStoredText(file(), 'text of ada')).toBe(0);
  await store.close();
});

describe('the SQLite extension', () => {
  test('the store works without the extension and reports the reason once', async () => {
    const reasons: string[] = [];
    const onFallback = (reason: string) => void reasons.push(reason);
    const store = openSqliteVectorStore({ path: file(), loadExtension: failToLoad, onFallback });
    expect(reasons).toEqual(['there is no sqlite-vec for this platform']);
    await store.close();
  });

  test('the store finds the same rows in the same order with and without the extension', async () => {
    const stores = [
      openSqliteVectorStore({ path: file(), onFallback: refuseFallback }),
      openSqliteVectorStore({ path: file(), loadExtension: failToLoad }),
    ];
    const space = { embedder: 'test', dimensions: 8 };
    const owner = { tenant: 'default', key: 'ada' };
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
    const aVector = () => Array.from({ length: 8 }, random);
    const messages = Array.from({ length: 200 }, (_, at) => {
      return {
        messageId: `m${at}`,
        role: 'user' as const,
        text: `${at}`,
        createdAt: '',
        trust: 'trusted' as const,
        vector: aVector(),
      };
    });
    await stores[0]?.saveRun(space, { ...owner, threadId: 't', runId: 'r', epoch: 1, messages });
    const none = {
      messageId: 'zero',
      role: 'user' as const,
      text: 'zero',
      createdAt: '',
      trust: 'trusted' as const,
      vector: Array(8).fill(0),
    };
    await stores[0]?.saveRun(space, { ...owner, threadId: 't', runId: 'zero', epoch: 1, messages: [none] });

    const query = { owner, threadId: undefined, exceptRunId: '', vector: aVector(), topK: 300, threshold: undefined };
    const [by, scan] = await Promise.all(stores.map((store) => store.findNearest(space, query)));
    expect(by).toHaveLength(200);
    expect(scan?.map((hit) => hit.text)).toEqual(by?.map((hit) => hit.text));
    for (const [at, hit] of (scan ?? []).entries()) expect(hit.score).toBeCloseTo(by?.[at]?.score ?? 9, 4);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a closed store fails as unavailable', async () => {
    const store = openSqliteVectorStore({ path: file() });
    await store.close();
    await store.close();
    const block = { tenant: 'default', key: 'ada', threadId: 't', runId: 'r', epoch: 1 };
    const message = {
      messageId: 'm',
      role: 'user' as const,
      text: 'x',
      createdAt: '',
      trust: 'trusted' as const,
      vector: [1],
    };
    const saving = store.saveRun({ embedder: 'e', dimensions: 1 }, { ...block, messages: [message] });
    await expect(saving).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});
