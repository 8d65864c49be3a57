// Conformance: concurrent connections. docs/semantics.md, section 11.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryStore } from '../history-store.ts';
import { findBlocks } from '../../testing/blocks.ts';
import { block, listIds, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

const CONNECTIONS = 4;

export function describeConcurrency(open: () => Promise<HistoryStore>): void {
  describe('concurrent connections', () => {
    let stores: HistoryStore[] = [];
    beforeAll(async () => {
      stores = await Promise.all(Array.from({ length: CONNECTIONS }, open)).catch(() => []);
    });
    afterAll(() => Promise.all(stores.map((store) => store.close())));
    const openConnection = (at: number): HistoryStore => {
      const store = stores[at % stores.length];
      if (store === undefined) throw new Error('no connection could be opened');
      return store;
    };

    test('the store does not interleave the blocks of concurrent runs on one thread', async () => {
      const tenant = newTenant();
      const runs = Array.from({ length: 200 }, (_, at) => ({ runId: `run-${at}`, size: 1 + (at % 7) }));
      await Promise.all(
        runs.map(({ runId, size }, at) =>
          openConnection(at).saveBlock(block({ tenant, runId, messages: messagesOfRun(runId, size) })),
        ),
      );

      const { messages, total } = await openConnection(0).listMessages(block({ tenant }), { limit: 1_000, offset: 0 });
      expect(total).toBe(runs.reduce((sum, { size }) => sum + size, 0));
      expect(
        findBlocks(messages)
          .map(({ runId, size }) => `${runId} ${size}`)
          .sort(),
      ).toEqual(runs.map(({ runId, size }) => `${runId} ${size}`).sort());
      expect(await openConnection(1).getThread(block({ tenant }))).toMatchObject({ messageCount: total });
    });

    test('a reader sees only complete blocks', async () => {
      const tenant = newTenant();
      const saves = Array.from({ length: 60 }, (_, at) => `run-${at}`).map((runId, at) =>
        openConnection(at).saveBlock(block({ tenant, runId, messages: messagesOfRun(runId, 5) })),
      );
      const sizes = new Set<number>();
      let seen = 0;
      while (seen < 60 * 5) {
        const messages = (await openConnection(3).recallLast(block({ tenant }), 1_000)).messages;
        for (const { size } of findBlocks(messages)) sizes.add(size);
        seen = messages.length;
      }
      await Promise.all(saves);
      expect([...sizes]).toEqual([5]);
    });

    test('the block of the highest epoch remains, in any order of saves', async () => {
      const tenant = newTenant();
      await openConnection(0).saveBlock(block({ tenant, runId: 'before' }));
      const epochs = Array.from({ length: 40 }, (_, at) => ((at * 17) % 40) + 1);
      const outcomes = await Promise.allSettled(
        epochs.map((epoch, at) =>
          openConnection(at).saveBlock(
            block({ tenant, epoch, messages: messagesOfRun(`epoch-${epoch}`, 1 + (epoch % 3)) }),
          ),
        ),
      );
      await openConnection(0).saveBlock(block({ tenant, runId: 'after' }));

      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'save-superseded' });
      const messages = (await openConnection(2).recallLast(block({ tenant }), 1_000)).messages;
      expect(listIds(messages)).toEqual(['before.0', 'before.1', 'epoch-40.0', 'epoch-40.1', 'after.0', 'after.1']);
    });

    test('only one resource becomes the owner of a new thread', async () => {
      const tenant = newTenant();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, at) => `resource-${at}`).map((owner, at) =>
          openConnection(at).saveBlock(block({ tenant, owner, runId: owner })),
        ),
      );
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(rejected).toHaveLength(19);
      for (const { reason } of rejected) expect(reason).toMatchObject({ code: 'thread-foreign' });
      expect(await openConnection(0).listThreads({ tenant }, { limit: 100, offset: 0 })).toMatchObject({ total: 1 });
    });
  });
}
