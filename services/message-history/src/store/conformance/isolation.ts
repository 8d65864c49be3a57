// Conformance: ids of tenants, threads and resources that imitate each other's keys.
import { describe, expect, test } from 'vitest';
import type { HistoryStore } from '../history-store.ts';
import { block, message, newTenant } from '../../testing/history-fixtures.ts';

const page = { limit: 1_000, offset: 0 };
const HOSTILE = [
  ':',
  'a:b',
  '*',
  '?[a-z]',
  '{tag}',
  '}{',
  '\\',
  "'; DROP TABLE history_threads; --",
  '%',
  '_',
  '..',
  '__proto__',
  'constructor',
  '\r\nFLUSHALL\r\n',
  '\u0000',
  'a\u0000b',
  'ü',
  'u\u0308',
  '🦆',
  ' ',
  '0',
  '-1',
  'x'.repeat(200),
];

export function describeIsolation(store: () => HistoryStore): void {
  describe('isolation', () => {
    test('the store isolates tenants that use the same ids', async () => {
      const [a, b] = [newTenant(), newTenant()];
      await store().saveBlock(block({ tenant: a, messages: [message('m', "a's")] }));
      await store().saveBlock(block({ tenant: b, epoch: 2, owner: 'bob', messages: [message('m', "b's")] }));

      expect((await store().recallLast(block({ tenant: a }), 10)).messages).toEqual([message('m', "a's")]);
      expect((await store().recallLast(block({ tenant: b, owner: 'bob' }), 10)).messages).toEqual([
        message('m', "b's"),
      ]);
      expect(await store().listThreads({ tenant: a }, page)).toMatchObject({ total: 1 });
      expect(await store().listThreads({ tenant: a, owner: 'bob' }, page)).toEqual({ threads: [], total: 0 });
    });

    test('every call rejects a tenant that is not a token', async () => {
      const victim = block({ tenant: newTenant() });
      await store().saveBlock(victim);
      for (const tenant of ['', ':', `${victim.tenant}:history`, `${victim.tenant}*`, '*', '../x', '{x}', 'ü']) {
        const thread = { ...victim, tenant };
        const refused = { code: 'token-invalid' };
        await expect(store().recallLast(thread, 1)).rejects.toMatchObject(refused);
        await expect(store().saveBlock(thread)).rejects.toMatchObject(refused);
        await expect(store().listMessages(thread, page)).rejects.toMatchObject(refused);
        await expect(store().listLastMessages(thread, 1)).rejects.toMatchObject(refused);
        await expect(store().getThread(thread)).rejects.toMatchObject(refused);
        await expect(store().listThreads({ tenant }, page)).rejects.toMatchObject(refused);
      }
    });

    test('the store isolates threads with any characters in their ids', async () => {
      const tenant = newTenant();
      for (const threadId of HOSTILE) {
        await store().saveBlock(block({ tenant, threadId, messages: [message('m', `of ${threadId}`)] }));
      }
      for (const threadId of HOSTILE) {
        expect((await store().recallLast(block({ tenant, threadId }), 10)).messages).toEqual([
          message('m', `of ${threadId}`),
        ]);
      }
      const { threads, total } = await store().listThreads({ tenant }, page);
      expect(threads.map(({ id }) => id).sort()).toEqual(HOSTILE.toSorted());
      expect(total).toBe(HOSTILE.length);
    });

    test('the store isolates resources with any characters in their ids', async () => {
      const tenant = newTenant();
      for (const [at, owner] of HOSTILE.entries()) {
        await store().saveBlock(block({ tenant, owner, threadId: `thread-${at}` }));
      }
      for (const [at, owner] of HOSTILE.entries()) {
        const { threads } = await store().listThreads({ tenant, owner }, page);
        expect(threads.map(({ id }) => id)).toEqual([`thread-${at}`]);
      }
    });

    test('the store isolates runs and messages with any characters in their ids', async () => {
      const tenant = newTenant();
      for (const runId of HOSTILE) {
        await store().saveBlock(block({ tenant, runId, messages: [message(runId, `first of ${runId}`)] }));
        await store().saveBlock(block({ tenant, runId, epoch: 2, messages: [message(runId, `of ${runId}`)] }));
      }
      const { messages } = await store().listMessages(block({ tenant }), page);
      expect(messages).toEqual(HOSTILE.map((runId) => message(runId, `of ${runId}`)));
    });

    test('the store isolates threads and resources with names that look like parts of keys', async () => {
      const tenant = newTenant();
      const names = ['threads', 'threads-of', 'thread', 'order', 'bodies', 'runs', 'history', 'thread:order', tenant];
      for (const threadId of names) {
        for (const owner of names) {
          const id = `${threadId}/${owner}`;
          await store().saveBlock(block({ tenant, threadId: id, owner, messages: [message(id)] }));
        }
        await store().saveBlock(block({ tenant, threadId, messages: [message(threadId)] }));
      }
      expect(await store().listThreads({ tenant }, page)).toMatchObject({ total: names.length * (names.length + 1) });
      for (const name of names) {
        const { threads } = await store().listThreads({ tenant, owner: name }, page);
        expect(threads.map(({ id }) => id).sort()).toEqual(names.map((threadId) => `${threadId}/${name}`).sort());
        expect((await store().recallLast(block({ tenant, threadId: name }), 10)).messages).toEqual([message(name)]);
      }
    });
  });
}
