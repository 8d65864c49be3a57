// Conformance: blocks that create their threads, and the metadata of callers.
import { describe, expect, test } from 'vitest';
import type { HistoryStore } from '../history-store.ts';
import { block, listIds, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

const page = { limit: 100, offset: 0 };
/** Texts and numbers that a store could write in another way. */
const metadata = { 'a "b" {c}': ['\u0000', 1e21, -0.5, null, []], nested: { empty: {}, text: '"agents":[]' } };

export function describeBeginning(store: () => HistoryStore): void {
  describe('creating a thread', () => {
    test('a block without messages creates the thread with its title, metadata and agents, and lists it', async () => {
      const tenant = newTenant();
      const created = block({ tenant, messages: [], begins: { title: 'Plans', metadata, agents: ['demo'] } });
      await store().saveBlock(created);
      const thread = await store().getThread(created);
      expect(thread).toMatchObject({ title: 'Plans', messageCount: 0, metadata: { ...metadata, agents: ['demo'] } });
      expect(thread).not.toHaveProperty('lastMessageAt');
      for (const owner of [undefined, created.owner])
        expect(await store().listThreads({ tenant, owner }, page)).toEqual({ threads: [thread], total: 1 });
      expect(await store().listMessages(created, page)).toMatchObject({ messages: [], total: 0 });
    });

    test('runs of the created thread keep its title and metadata, and add their agents', async () => {
      const created = block({
        tenant: newTenant(),
        messages: [],
        begins: { title: 'Plans', metadata, agents: ['demo'] },
      });
      await store().saveBlock(created);
      for (const [at, agent] of ['demo', 'other'].entries()) {
        const runId = `run-${at + 2}`;
        await store().saveBlock({
          ...block({ ...created, runId, agent, messages: messagesOfRun(runId, 1) }),
          begins: undefined,
        });
      }
      const thread = await store().getThread(created);
      expect(thread).toMatchObject({ title: 'Plans', messageCount: 2 });
      expect(thread.metadata).toEqual({ ...metadata, agents: ['demo', 'other'] });
      expect(listIds((await store().listMessages(created, page)).messages)).toEqual(['run-2.0', 'run-3.0']);
    });

    test('a repeated block that creates a thread has no effect, and another one is refused', async () => {
      const created = block({ tenant: newTenant(), begins: { title: 'Plans', metadata: {}, agents: [] } });
      await store().saveBlock(created);
      await store().saveBlock(created);
      expect(await store().getThread(created)).toMatchObject({ messageCount: 2 });
      const other = store().saveBlock({ ...created, runId: 'run-2', begins: { title: 'x', metadata: {}, agents: [] } });
      await expect(other).rejects.toMatchObject({ code: 'state-conflict', path: 'threadId' });
      const foreign = store().saveBlock({ ...created, owner: 'bob', runId: 'run-2' });
      await expect(foreign).rejects.toMatchObject({ code: 'thread-foreign' });
      expect(await store().getThread(created)).toMatchObject({ title: 'Plans', messageCount: 2 });
    });

    test('a thread that begins without a list of agents gets none from its runs', async () => {
      const created = block({ tenant: newTenant(), begins: { title: 'Plans', metadata: { a: 1 } } });
      await store().saveBlock(created);
      await store().saveBlock(block({ tenant: created.tenant, runId: 'run-2', agent: 'demo' }));
      await store().updateThread(created, { metadata: { b: 2 } });
      expect((await store().getThread(created)).metadata).toEqual({ b: 2 });
    });

    test('a thread is named once, and a title of a caller stays', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      await store().nameThread(saved, 'Named');
      await store().nameThread(saved, 'Again');
      expect(await store().getThread(saved)).toMatchObject({ title: 'Named' });
      const unknown = { code: 'thread-unknown' };
      await expect(store().nameThread({ ...saved, owner: 'bob' }, 'x')).rejects.toMatchObject(unknown);
      await expect(store().nameThread({ ...saved, threadId: 'none' }, 'x')).rejects.toMatchObject(unknown);
    });

    test('an update replaces the metadata of the caller as a whole, and the agents stay and grow', async () => {
      const saved = block({ tenant: newTenant(), agent: 'demo' });
      await store().saveBlock(saved);
      await store().updateThread(saved, { metadata: { old: true } });
      await store().updateThread(saved, { title: 'Plans', metadata });
      await store().saveBlock(block({ tenant: saved.tenant, runId: 'run-2', agent: 'other' }));
      const thread = await store().getThread(saved);
      expect(thread.title).toBe('Plans');
      expect(thread.metadata).toEqual({ ...metadata, agents: ['demo', 'other'] });
      await store().updateThread(saved, { metadata: {} });
      expect((await store().getThread(saved)).metadata).toEqual({ agents: ['demo', 'other'] });
    });
  });
}
