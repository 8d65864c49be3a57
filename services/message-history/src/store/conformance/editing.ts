// Conformance: renaming and deleting threads and messages.
import { describe, expect, test } from 'vitest';
import type { HistoryStore } from '../history-store.ts';
import { block, listIds, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

const page = { limit: 100, offset: 0 };
const unknown = { code: 'thread-unknown' };

export function describeEditing(store: () => HistoryStore): void {
  describe('changing threads', () => {
    test('a renamed thread keeps its title when further runs save', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      await store().updateThread(saved, { title: 'Sums: "1", {x}\u0000' });
      await store().saveBlock({ ...saved, runId: 'run-2', messages: messagesOfRun('run-2', 1) });
      expect(await store().getThread(saved)).toMatchObject({ title: 'Sums: "1", {x}\u0000', messageCount: 3 });
    });

    test('a deleted thread is unknown, unlisted and without messages, and other threads remain', async () => {
      const tenant = newTenant();
      const [saved, other] = [block({ tenant, threadId: 'a' }), block({ tenant, threadId: 'b' })];
      await store().saveBlock(saved);
      await store().saveBlock(other);
      expect(await store().deleteThread(saved)).toBe(2);
      await expect(store().getThread(saved)).rejects.toMatchObject(unknown);
      await expect(store().listMessages(saved, page)).rejects.toMatchObject(unknown);
      expect(await store().recallLast(saved, 10)).toEqual({ messages: [], leftOut: 0 });
      for (const owner of [undefined, saved.owner]) {
        const { threads, total } = await store().listThreads({ tenant, owner }, page);
        expect([threads.map(({ id }) => id), total]).toEqual([['b'], 1]);
      }
      expect(await store().getThread(other)).toMatchObject({ messageCount: 2 });
      await expect(store().deleteThread(saved)).rejects.toMatchObject(unknown);
    });

    test('a thread that begins again after its deletion has its own order, owner and run ids', async () => {
      const saved = block({ tenant: newTenant(), epoch: 3 });
      for (const runId of ['run-0', 'run-1'])
        await store().saveBlock({ ...saved, runId, messages: messagesOfRun(runId, 2) });
      await store().deleteThread(saved);
      // The epoch is lower than that of the deleted run of this id.
      const again = { ...saved, owner: 'bob', epoch: 1, messages: messagesOfRun('run-1', 1) };
      await store().saveBlock(again);
      await store().saveBlock({ ...again, runId: 'run-2', messages: messagesOfRun('run-2', 1) });
      const { messages } = await store().listMessages(again, page);
      expect(listIds(messages)).toEqual(['run-1.0', 'run-2.0']);
    });

    test('deleted messages are not listed or recalled, and the others keep their order', async () => {
      const saved = block({ tenant: newTenant(), messages: messagesOfRun('run-1', 4) });
      await store().saveBlock(saved);
      expect(await store().deleteMessages(saved, ['run-1.1', 'run-1.3', 'none'])).toBe(2);
      expect(await store().deleteMessages(saved, ['run-1.1'])).toBe(0);
      expect(await store().listMessages(saved, page)).toMatchObject({ total: 2 });
      expect(listIds((await store().recallLast(saved, 10)).messages)).toEqual(['run-1.0', 'run-1.2']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 2 });
      await store().saveBlock({ ...saved, runId: 'run-2', messages: [message('run-1.1', 'again'), message('new')] });
      const { messages } = await store().listMessages(saved, page);
      expect(listIds(messages)).toEqual(['run-1.0', 'run-1.2', 'run-1.1', 'new']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 4 });
    });

    test('a thread without its last message still exists', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      await store().deleteMessages(saved, listIds(saved.messages));
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 0 });
    });

    test('messages are found by their ids, whatever the ids are', async () => {
      const ids = ['1', '__proto__', 'a:b', '{x}', "'; --"];
      const saved = block({ tenant: newTenant(), messages: ids.map((id) => message(id)) });
      await store().saveBlock(saved);
      const found = await store().findMessages(saved, [...ids, 'none']);
      expect(listIds(found).toSorted()).toEqual(ids.toSorted());
      expect(await store().findMessages(saved, [])).toEqual([]);
      expect(await store().deleteMessages(saved, ids)).toBe(ids.length);
    });

    test('a thread that is cut at a message keeps the messages before it, and later runs append behind them', async () => {
      const saved = block({ tenant: newTenant(), messages: messagesOfRun('run-1', 3) });
      await store().saveBlock(saved);
      await store().saveBlock({ ...saved, runId: 'run-2', messages: messagesOfRun('run-2', 2) });
      const ids = ['run-1.2', 'run-2.0', 'run-2.1'];
      expect(await store().findTail(saved, 'run-1.2', 10)).toEqual({ ids, last: 'run-2.1' });
      expect(await store().findTail(saved, 'run-1.2', 2)).toEqual({ ids: ids.slice(0, 2), last: 'run-2.1' });
      expect(await store().findTail(saved, 'none', 10)).toEqual({ ids: [], last: 'run-2.1' });
      expect(await store().truncateThread(saved, { from: 'none', last: 'run-2.1' })).toBe(0);
      expect(await store().truncateThread(saved, { from: 'run-1.2', last: 'run-2.1' })).toBe(3);
      expect(listIds((await store().recallLast(saved, 10)).messages)).toEqual(['run-1.0', 'run-1.1']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 2 });
      await store().saveBlock({ ...saved, runId: 'run-3', messages: messagesOfRun('run-3', 1) });
      expect(listIds((await store().listMessages(saved, page)).messages)).toEqual(['run-1.0', 'run-1.1', 'run-3.0']);
    });

    test('a cut that expects another last message changes nothing and names both, also in an empty thread', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      const cut = { from: 'run-1.0', last: 'run-1.0' };
      const conflict = { code: 'state-conflict', message: expect.stringMatching(/"run-1\.1", not with "run-1\.0"/) };
      await expect(store().truncateThread(saved, cut)).rejects.toMatchObject(conflict);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 2 });
      await store().truncateThread(saved, { from: 'run-1.0', last: 'run-1.1' });
      expect(await store().findTail(saved, 'run-1.0', 10)).toEqual({ ids: [] });
      await expect(store().truncateThread(saved, cut)).rejects.toMatchObject({ code: 'state-conflict' });
    });

    test('of cuts and saves at the same time each cut is refused or deletes the messages that its caller has read', async () => {
      const saved = block({ tenant: newTenant(), messages: messagesOfRun('run-1', 2) });
      for (let round = 0; round < 20; round += 1) {
        const runId = `race-${round}`;
        await store().saveBlock({ ...saved, runId: `base-${round}`, messages: messagesOfRun(`base-${round}`, 2) });
        const cut = { from: `base-${round}.0`, last: `base-${round}.1` };
        const [, cutting] = await Promise.allSettled([
          store().saveBlock({ ...saved, runId, messages: messagesOfRun(runId, 1) }),
          store().truncateThread(saved, cut),
        ]);
        const ids = listIds((await store().recallLast(saved, 100)).messages);
        expect(ids).toContain(`${runId}.0`);
        expect(ids.includes(cut.from)).toBe(cutting.status === 'rejected');
      }
    });

    test('a thread of another owner is unknown, and nothing of it changes', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      const before = await store().getThread(saved);
      for (const foreign of [
        { ...saved, owner: 'bob' },
        { ...saved, tenant: newTenant() },
      ]) {
        await expect(store().updateThread(foreign, { title: 'mine', metadata: {} })).rejects.toMatchObject(unknown);
        await expect(store().deleteThread(foreign)).rejects.toMatchObject(unknown);
        await expect(store().deleteMessages(foreign, listIds(saved.messages))).rejects.toMatchObject(unknown);
        await expect(store().findTail(foreign, 'run-1.0', 1)).rejects.toMatchObject(unknown);
        const cut = { from: 'run-1.0', last: 'run-1.1' };
        await expect(store().truncateThread(foreign, cut)).rejects.toMatchObject(unknown);
        await expect(store().findMessages(foreign, listIds(saved.messages))).rejects.toMatchObject(unknown);
      }
      expect(await store().getThread(saved)).toEqual(before);
    });

    test('saves that race with a deletion leave a listed thread or none', async () => {
      const tenant = newTenant();
      const saved = block({ tenant });
      for (let round = 0; round < 20; round += 1) {
        const runId = `race-${round}`;
        await store().saveBlock(saved);
        const racing = store().saveBlock({ ...saved, runId, messages: messagesOfRun(runId, 1) });
        await Promise.all([racing, store().deleteThread(saved)]);
        const isThere = await store()
          .getThread(saved)
          .then(
            () => true,
            () => false,
          );
        for (const owner of [undefined, saved.owner]) {
          const { total } = await store().listThreads({ tenant, owner }, page);
          expect(total).toBe(isThere ? 1 : 0);
        }
      }
    });

    test('an erased owner has no threads, and threads of others remain', async () => {
      const tenant = newTenant();
      for (const threadId of ['a', 'b']) await store().saveBlock(block({ tenant, threadId }));
      await store().saveBlock(block({ tenant, threadId: 'c', owner: 'bob' }));
      await store().saveBlock(block({ tenant, threadId: 'd', owner: ' thread:d' }));
      const owner = { tenant, owner: 'ada' };
      expect(await store().eraseOwner(owner, [{ threadId: 'c', runId: 'run-1' }])).toEqual({ deleted: 4, left: 0 });
      const { threads, total } = await store().listThreads({ tenant }, page);
      expect([threads.map(({ id }) => id).toSorted(), total]).toEqual([['c', 'd'], 2]);
      expect(await store().listThreads(owner, page)).toEqual({ threads: [], total: 0 });
      expect(await store().eraseOwner(owner, [])).toEqual({ deleted: 0, left: 0 });
      await expect(store().eraseOwner({ ...owner, tenant: 'a b' }, [])).rejects.toMatchObject({
        code: 'token-invalid',
      });
    });

    test('an erased run saves nothing in any epoch, and a later run of the owner does', async () => {
      const saved = block({ tenant: newTenant() });
      const runs = [{ threadId: saved.threadId, runId: saved.runId }];
      await store().eraseOwner(saved, runs);
      for (const epoch of [1, 2, 1_000]) {
        const late = store().saveBlock({ ...saved, epoch });
        await expect(late).rejects.toMatchObject({ code: 'save-superseded' });
      }
      expect(await store().listThreads(saved, page)).toEqual({ threads: [], total: 0 });
      await store().saveBlock({ ...saved, runId: 'run-2', messages: messagesOfRun('run-2', 1) });
      await expect(store().saveBlock(saved)).rejects.toMatchObject({ code: 'save-superseded' });
      expect(listIds((await store().listMessages(saved, page)).messages)).toEqual(['run-2.0']);
    });

    test('saves that race with an erasure of their run leave nothing', async () => {
      const tenant = newTenant();
      for (let round = 0; round < 20; round += 1) {
        const saved = block({ tenant, threadId: `t-${round}`, runId: `race-${round}` });
        const runs = [{ threadId: saved.threadId, runId: saved.runId }];
        const saving = store()
          .saveBlock(saved)
          .catch((error: unknown) => error);
        await store().eraseOwner(saved, runs);
        await saving;
        expect(await store().listThreads(saved, page)).toEqual({ threads: [], total: 0 });
        await expect(store().getThread(saved)).rejects.toMatchObject(unknown);
      }
    });
  });
}
