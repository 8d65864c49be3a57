// Conformance: the last messages, and pages of them.
import { describe, expect, test } from 'vitest';
import { READ_MAX_BYTES, type HistoryStore, type HistoryBlock } from '../history-store.ts';
import { block, listIds, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

export function describeReading(store: () => HistoryStore): void {
  /** Ten runs of five messages: run-0.0 to run-9.4. */
  const createLongThread = async (): Promise<HistoryBlock> => {
    const tenant = newTenant();
    for (let run = 0; run < 10; run += 1) {
      await store().saveBlock(block({ tenant, runId: `run-${run}`, messages: messagesOfRun(`run-${run}`, 5) }));
    }
    return block({ tenant });
  };
  const all = Array.from({ length: 50 }, (_, at) => `run-${Math.floor(at / 5)}.${at % 5}`);

  describe('reading', () => {
    test('the store recalls the last messages, oldest first', async () => {
      const thread = await createLongThread();
      expect(listIds((await store().recallLast(thread, 7)).messages)).toEqual(all.slice(-7));
      expect(listIds((await store().recallLast(thread, 1_000)).messages)).toEqual(all);
      expect((await store().recallLast(thread, 0)).messages).toEqual([]);
    });

    test('recalling an unknown thread returns nothing and does not create the thread', async () => {
      const thread = block({ tenant: newTenant() });
      expect((await store().recallLast(thread, 10)).messages).toEqual([]);
      await expect(store().getThread(thread)).rejects.toMatchObject({ code: 'thread-unknown' });
    });

    test('the store rejects recalling the thread of another resource', async () => {
      const thread = await createLongThread();
      for (const owner of ['eve', '', 'ADA', 'ada ']) {
        await expect(store().recallLast({ ...thread, owner }, 10)).rejects.toMatchObject({
          code: 'thread-foreign',
        });
      }
    });

    test('pages of a thread have neither gap nor overlap', async () => {
      const thread = await createLongThread();
      const pages = await Promise.all(
        [0, 20, 40, 60].map((offset) => store().listMessages(thread, { limit: 20, offset })),
      );
      expect(pages.flatMap((page) => listIds(page.messages))).toEqual(all);
      expect(pages.map((page) => [page.messages.length, page.total])).toEqual([
        [20, 50],
        [20, 50],
        [10, 50],
        [0, 50],
      ]);
    });

    test('the store lists the last messages, oldest first', async () => {
      const thread = await createLongThread();
      const { messages, total } = await store().listLastMessages(thread, 3);
      expect(listIds(messages)).toEqual(all.slice(-3));
      expect(total).toBe(50);
    });

    test('the store reports an unknown thread', async () => {
      const thread = block({ tenant: newTenant() });
      const unknown = { code: 'thread-unknown' };
      await expect(store().listMessages(thread, { limit: 1, offset: 0 })).rejects.toMatchObject(unknown);
      await expect(store().listLastMessages(thread, 1)).rejects.toMatchObject(unknown);
      await expect(store().getThread(thread)).rejects.toMatchObject(unknown);
    });

    test('the store recalls the newest messages that fit the limit and reports how many do not', async () => {
      const tenant = newTenant();
      const third = 'x'.repeat(READ_MAX_BYTES / 3);
      const messages = [message('old', third), message('small'), message('b', third), message('newest', third)];
      await store().saveBlock(block({ tenant, messages }));
      const { messages: recalled, leftOut } = await store().recallLast(block({ tenant }), 4);
      expect(listIds(recalled)).toEqual(['small', 'b', 'newest']);
      expect(leftOut).toBe(1);
      expect(Buffer.byteLength(JSON.stringify(recalled))).toBeLessThanOrEqual(READ_MAX_BYTES);
    });

    test('the store recalls the messages around one that exceeds the limit by itself', async () => {
      const tenant = newTenant();
      const messages = [message('before'), message('huge', 'x'.repeat(READ_MAX_BYTES)), message('after')];
      await store().saveBlock(block({ tenant, messages }));
      const { messages: recalled, leftOut } = await store().recallLast(block({ tenant }), 3);
      expect([listIds(recalled), leftOut]).toEqual([['before', 'after'], 1]);
    });

    test('a page ends before the size limit, and the next page continues without a gap', async () => {
      const tenant = newTenant();
      const half = 'ü'.repeat(READ_MAX_BYTES / 4);
      const messages = [message('huge', half + half + half), message('a', half), message('b', half), message('c')];
      await store().saveBlock(block({ tenant, messages }));
      const pages: string[][] = [];
      for (let offset = 0; offset < 4; offset += pages.at(-1)?.length ?? 4) {
        const page = await store().listMessages(block({ tenant }), { limit: 10, offset });
        expect(page.total).toBe(4);
        pages.push(listIds(page.messages));
      }
      expect(pages).toEqual([['huge'], ['a'], ['b', 'c']]);
      const last = await store().listLastMessages(block({ tenant }), 4);
      expect(listIds(last.messages)).toEqual(['b', 'c']);
    });
  });
}
