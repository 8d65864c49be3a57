// Conformance: the last messages, and pages of them.
import { describe, expect, test } from 'vitest';
import { READ_MAX_BYTES, type HistoryStore, type RunBlock } from '../history-store.ts';
import { block, idsOf, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

export function describeReading(store: () => HistoryStore): void {
  /** Ten runs of five messages: run-0.0 to run-9.4. */
  const longThread = async (): Promise<RunBlock> => {
    const tenant = newTenant();
    for (let run = 0; run < 10; run += 1) {
      await store().saveBlock(block({ tenant, runId: `run-${run}`, messages: messagesOfRun(`run-${run}`, 5) }));
    }
    return block({ tenant });
  };
  const all = Array.from({ length: 50 }, (_, at) => `run-${Math.floor(at / 5)}.${at % 5}`);

  describe('reading', () => {
    test('recalls the last messages, oldest first', async () => {
      const thread = await longThread();
      expect(idsOf((await store().recallLast(thread, 7)).messages)).toEqual(all.slice(-7));
      expect(idsOf((await store().recallLast(thread, 1_000)).messages)).toEqual(all);
      expect((await store().recallLast(thread, 0)).messages).toEqual([]);
    });

    test('recalls nothing of a thread that is not there, and does not create it', async () => {
      const thread = block({ tenant: newTenant() });
      expect((await store().recallLast(thread, 10)).messages).toEqual([]);
      await expect(store().getThread(thread)).rejects.toMatchObject({ code: 'thread-unknown' });
    });

    test('recalls nothing of a thread of another resource: it is refused', async () => {
      const thread = await longThread();
      for (const owner of ['eve', '', 'ADA', 'ada ']) {
        await expect(store().recallLast({ ...thread, owner }, 10)).rejects.toMatchObject({
          code: 'thread-foreign',
        });
      }
    });

    test('pages through a thread without a gap and without an overlap', async () => {
      const thread = await longThread();
      const pages = await Promise.all(
        [0, 20, 40, 60].map((offset) => store().listMessages(thread, { limit: 20, offset })),
      );
      expect(pages.flatMap((page) => idsOf(page.messages))).toEqual(all);
      expect(pages.map((page) => [page.messages.length, page.total])).toEqual([
        [20, 50],
        [20, 50],
        [10, 50],
        [0, 50],
      ]);
    });

    test('lists the last messages, oldest first', async () => {
      const thread = await longThread();
      const { messages, total } = await store().listLastMessages(thread, 3);
      expect(idsOf(messages)).toEqual(all.slice(-3));
      expect(total).toBe(50);
    });

    test('says that a thread is not there', async () => {
      const thread = block({ tenant: newTenant() });
      const unknown = { code: 'thread-unknown' };
      await expect(store().listMessages(thread, { limit: 1, offset: 0 })).rejects.toMatchObject(unknown);
      await expect(store().listLastMessages(thread, 1)).rejects.toMatchObject(unknown);
      await expect(store().getThread(thread)).rejects.toMatchObject(unknown);
    });

    test('recalls the newest that fit into the bound, and says how many do not', async () => {
      const tenant = newTenant();
      const third = 'x'.repeat(READ_MAX_BYTES / 3);
      const messages = [message('old', third), message('small'), message('b', third), message('newest', third)];
      await store().saveBlock(block({ tenant, messages }));
      const { messages: recalled, leftOut } = await store().recallLast(block({ tenant }), 4);
      expect(idsOf(recalled)).toEqual(['small', 'b', 'newest']);
      expect(leftOut).toBe(1);
      expect(Buffer.byteLength(JSON.stringify(recalled))).toBeLessThanOrEqual(READ_MAX_BYTES);
    });

    test('recalls what stands beside a message that is too large by itself', async () => {
      const tenant = newTenant();
      const messages = [message('before'), message('huge', 'x'.repeat(READ_MAX_BYTES)), message('after')];
      await store().saveBlock(block({ tenant, messages }));
      const { messages: recalled, leftOut } = await store().recallLast(block({ tenant }), 3);
      expect([idsOf(recalled), leftOut]).toEqual([['before', 'after'], 1]);
    });

    test('ends a page before it would be too large, and pages on from there without a gap', async () => {
      const tenant = newTenant();
      const half = 'ü'.repeat(READ_MAX_BYTES / 4);
      const messages = [message('huge', half + half + half), message('a', half), message('b', half), message('c')];
      await store().saveBlock(block({ tenant, messages }));
      const pages: string[][] = [];
      for (let offset = 0; offset < 4; offset += pages.at(-1)?.length ?? 4) {
        const page = await store().listMessages(block({ tenant }), { limit: 10, offset });
        expect(page.total).toBe(4);
        pages.push(idsOf(page.messages));
      }
      expect(pages).toEqual([['huge'], ['a'], ['b', 'c']]);
      const last = await store().listLastMessages(block({ tenant }), 4);
      expect(idsOf(last.messages)).toEqual(['b', 'c']);
    });
  });
}
