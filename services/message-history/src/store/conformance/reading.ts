// Conformance: the last messages, and pages of them.
import { describe, expect, it } from 'vitest';
import type { HistoryStore, RunBlock } from '../history-store.ts';
import { block, idsOf, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

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
    it('recalls the last messages, oldest first', async () => {
      const thread = await longThread();
      expect(idsOf(await store().recallLast(thread, 7))).toEqual(all.slice(-7));
      expect(idsOf(await store().recallLast(thread, 1_000))).toEqual(all);
      expect(await store().recallLast(thread, 0)).toEqual([]);
    });

    it('recalls nothing of a thread that is not there, and does not create it', async () => {
      const thread = block({ tenant: newTenant() });
      expect(await store().recallLast(thread, 10)).toEqual([]);
      await expect(store().getThread(thread)).rejects.toMatchObject({ code: 'thread-unknown' });
    });

    it('recalls nothing of a thread of another resource: it is refused', async () => {
      const thread = await longThread();
      for (const owner of ['eve', '', 'ADA', 'ada ']) {
        await expect(store().recallLast({ ...thread, owner }, 10)).rejects.toMatchObject({
          code: 'thread-foreign',
        });
      }
    });

    it('pages through a thread without a gap and without an overlap', async () => {
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

    it('lists the last messages, oldest first', async () => {
      const thread = await longThread();
      const { messages, total } = await store().listLastMessages(thread, 3);
      expect(idsOf(messages)).toEqual(all.slice(-3));
      expect(total).toBe(50);
    });

    it('says that a thread is not there', async () => {
      const thread = block({ tenant: newTenant() });
      const unknown = { code: 'thread-unknown' };
      await expect(store().listMessages(thread, { limit: 1, offset: 0 })).rejects.toMatchObject(unknown);
      await expect(store().listLastMessages(thread, 1)).rejects.toMatchObject(unknown);
      await expect(store().getThread(thread)).rejects.toMatchObject(unknown);
    });

    it('costs what it recalls, not what the thread holds', async () => {
      const text = 'x'.repeat(2_000);
      const tenant = newTenant();
      const short = block({ tenant, threadId: 'short', messages: messagesOfRun('run-1', 10, text) });
      const long = block({ tenant, threadId: 'long' });
      await store().saveBlock(short);
      for (let run = 0; run < 100; run += 1) {
        const runId = `run-${run}`;
        await store().saveBlock({ ...long, runId, messages: messagesOfRun(runId, 10, text) });
      }
      // The fastest of many: what else the machine does only ever adds. Reading all 1,000 would take about a hundred times as long.
      const ofShort = await fastestMs(() => store().recallLast(short, 10));
      const ofLong = await fastestMs(() => store().recallLast(long, 10));
      expect(ofLong / ofShort).toBeLessThan(3);
    });
  });
}

async function fastestMs(work: () => Promise<unknown>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 40; tries += 1) {
    const started = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - started);
  }
  return fastest;
}
