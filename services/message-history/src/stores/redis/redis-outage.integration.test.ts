// A Redis that disconnects, freezes, fills up or dies during saves.
import { freezeProcess, useOwnRedis } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HistoryStore, HistoryBlock } from '../../store/history-store.ts';
import { connectRedis } from '@millrace/stores';
import { createRedisHistoryStore } from './redis-history-store.ts';
import { listAllMessages } from '../../testing/all-messages.ts';
import { findBlocks } from '../../testing/blocks.ts';
import { block, listIds, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

const server = useOwnRedis();
const unavailable = { code: 'store-unavailable' };
const everything = { limit: 10_000, offset: 0 };

describe('Redis outages', () => {
  let store: HistoryStore;
  let lines: string[];
  const log = {
    warn: (_: object, text: string) => void lines.push(text),
    info: (text: string) => void lines.push(text),
  };
  const connection = (waitMs = 10_000, url = server.url) =>
    connectRedis({ url, service: 'test', store: 'message store', log, waitMs });
  const connect = async () => createRedisHistoryStore(await connection());
  beforeEach(async () => {
    lines = [];
    store = await connect();
  });
  afterEach(() => store.close());

  /** Polls until Redis answers again; the reconnect determines the wait. */
  const waitForRecovery = (thread: HistoryBlock) =>
    vi.waitFor(() => store.getThread(thread), { timeout: 10_000, interval: 20 });

  test('a disconnected Redis makes every call fail at once, and the store reconnects to it', async () => {
    const saved = block({ tenant: newTenant() });
    await store.saveBlock(saved);
    await server.stop();

    const started = performance.now();
    await expect(store.recallLast(saved, 10)).rejects.toMatchObject(unavailable);
    await expect(store.saveBlock(saved)).rejects.toMatchObject(unavailable);
    await expect(store.getThread(saved)).rejects.toMatchObject(unavailable);
    await expect(store.listThreads(saved, everything)).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(1_000);

    await server.start();
    await waitForRecovery(saved);
    await store.saveBlock({ ...saved, runId: 'run-2', messages: messagesOfRun('run-2', 1) });
    expect(listIds((await store.recallLast(saved, 10)).messages)).toEqual(['run-1.0', 'run-1.1', 'run-2.0']);
    expect(lines).toEqual(['the connection to Redis is lost', 'the connection to Redis is back']);
  });

  test('a frozen Redis makes a call fail within its timeout, and the next call works', async () => {
    const saved = block({ tenant: newTenant() });
    await store.saveBlock(saved);
    await freezeProcess(server.pid);
    try {
      const started = performance.now();
      await expect(store.saveBlock({ ...saved, epoch: 2 })).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('it may have been done all the same'),
      });
      expect(performance.now() - started).toBeLessThan(3_000);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await waitForRecovery(saved);
    await store.saveBlock({ ...saved, epoch: 2 });
    expect(await store.getThread(saved)).toMatchObject({ messageCount: 2 });
  });

  test('a full Redis rejects a whole block', async () => {
    const admin = await connection();
    const saved = block({ tenant: newTenant() });
    await admin.config('SET', 'maxmemory', '1');
    await expect(store.saveBlock(saved)).rejects.toMatchObject(unavailable);
    await admin.config('SET', 'maxmemory', '0');
    await admin.quit();

    await expect(store.getThread(saved)).rejects.toMatchObject({ code: 'thread-unknown' });
    await store.saveBlock(saved);
    expect(await store.getThread(saved)).toMatchObject({ messageCount: 2 });
  });

  test('a Redis that lost its scripts gets them again', async () => {
    const admin = await connection();
    const saved = block({ tenant: newTenant() });
    await store.saveBlock(saved);
    await admin.script('FLUSH');
    await admin.quit();
    await store.saveBlock({ ...saved, epoch: 2 });
    expect((await store.recallLast(saved, 10)).messages).toHaveLength(2);
  });

  test('a Redis that is killed during saves keeps every acknowledged block and no partial one', async () => {
    const tenant = newTenant();
    const connections = [store, await connect(), await connect()];
    const answered: string[] = [];
    let killed: Promise<void> | undefined;
    const saveUntilItFails = async (connection: HistoryStore, name: number) => {
      for (let at = 0; ; at += 1) {
        const runId = `run-${name}-${at}`;
        try {
          await connection.saveBlock(block({ tenant, runId, messages: messagesOfRun(runId, 5) }));
        } catch (error) {
          return error;
        }
        answered.push(runId);
        if (answered.length === 300) killed = server.kill();
      }
    };
    const failures = await Promise.all(connections.map(saveUntilItFails));
    await killed;
    for (const failure of failures) expect(failure).toMatchObject(unavailable);

    await server.start();
    const thread = await waitForRecovery(block({ tenant }));
    const { messages, total } = await listAllMessages(store, block({ tenant }));
    const blocks = findBlocks(messages);
    expect(blocks.every(({ size }) => size === 5)).toBe(true);
    expect(blocks.map(({ runId }) => runId)).toEqual(expect.arrayContaining(answered));
    expect([total, thread.messageCount]).toEqual([messages.length, messages.length]);
    await Promise.all(connections.slice(1).map((connection) => connection.close()));
  });

  test('an unreachable Redis is an error within the timeout, without the password', async () => {
    await server.stop();
    const url = server.url.replace('redis://', 'redis://user:hunter2@');
    const failure: unknown = await connection(200, url).catch((error: unknown) => error);
    expect(failure).toMatchObject(unavailable);
    expect(String(failure)).toContain('ECONNREFUSED');
    expect(String(failure)).not.toContain('hunter2');
    await server.start();
  });

  test('the store closes in time in every outage, and can be closed twice', async () => {
    const other = await connect();
    await server.stop();
    await other.close();
    await other.close();
    await expect(other.recallLast(block({ tenant: newTenant() }), 1)).rejects.toMatchObject(unavailable);
    await server.start();
  });
});
