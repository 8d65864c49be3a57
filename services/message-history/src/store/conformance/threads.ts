// Conformance: the list of threads.
import { describe, expect, test } from 'vitest';
import { MAX_LIST_DEPTH, type HistoryStore } from '../history-store.ts';
import { block, newTenant } from '../../testing/history-fixtures.ts';

export function describeThreads(store: () => HistoryStore): void {
  describe('listing threads', () => {
    test('the store lists the threads of a tenant, and of one resource', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, threadId: 'a', owner: 'ada' }));
      await store().saveBlock(block({ tenant, threadId: 'b', owner: 'bob' }));

      const page = { limit: 10, offset: 0 };
      const all = await store().listThreads({ tenant }, page);
      expect(all.threads.map(({ id }) => id).sort()).toEqual(['a', 'b']);
      expect(all.total).toBe(2);
      const bobs = await store().listThreads({ tenant, owner: 'bob' }, page);
      expect(bobs).toEqual({ threads: [await store().getThread({ tenant, threadId: 'b' })], total: 1 });
      expect(await store().listThreads({ tenant, owner: 'nobody' }, page)).toEqual({ threads: [], total: 0 });
    });

    test('the store lists the most recently updated threads first', async () => {
      const tenant = newTenant();
      for (const [at, threadId] of ['x', 'y', 'z', 'x'].entries()) {
        await awaitNextMillisecond();
        await store().saveBlock(block({ tenant, threadId, runId: `run-${at}` }));
      }
      const { threads } = await store().listThreads({ tenant }, { limit: 10, offset: 0 });
      expect(threads.map(({ id }) => id)).toEqual(['x', 'z', 'y']);
      const ofAda = await store().listThreads({ tenant, owner: 'ada' }, { limit: 10, offset: 0 });
      expect(ofAda.threads).toEqual(threads);
    });

    test('the store rejects reading a list beyond its depth limit and names the limit', async () => {
      const list = (offset: number) => store().listThreads({ tenant: newTenant() }, { limit: 1, offset });
      expect(await list(MAX_LIST_DEPTH - 1)).toEqual({ threads: [], total: 0 });
      await expect(list(MAX_LIST_DEPTH)).rejects.toMatchObject({ code: 'message-invalid', path: 'offset' });
    });

    test('pages of threads have neither gap nor overlap, even among threads of one millisecond', async () => {
      const tenant = newTenant();
      const ids = Array.from({ length: 25 }, (_, at) => `thread-${at}`);
      await Promise.all(ids.map((threadId) => store().saveBlock(block({ tenant, threadId }))));

      const pages = await Promise.all(
        [0, 10, 20, 30].map((offset) => store().listThreads({ tenant }, { limit: 10, offset })),
      );
      expect(pages.map((page) => page.threads.length)).toEqual([10, 10, 5, 0]);
      expect(pages.flatMap((page) => page.threads.map(({ id }) => id)).sort()).toEqual(ids.sort());
      expect(pages.every((page) => page.total === 25)).toBe(true);
    });
  });
}

/** Waits until the clock shows another millisecond, because threads are ordered by the millisecond. */
async function awaitNextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise(setImmediate);
}
