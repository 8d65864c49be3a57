import { API, OPERATOR_CALLER, hashCaller } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetMemories, createMemoryGet, createMemorySet } from './memory-api.ts';
import type { WorkingMemoryStore } from '../store/memory-store.ts';
import { openSqliteMemoryStore } from '../stores/sqlite/sqlite-memory-store.ts';

describe('memory-get', () => {
  let store: WorkingMemoryStore;
  beforeAll(async () => {
    store = openSqliteMemoryStore({ path: ':memory:' });
    const owners = [
      { tenant: 'acme', key: 'acme' },
      { tenant: 'acme', key: 'ada' },
      { tenant: 'acme', key: 'ada', threadId: 't1' },
      { tenant: 'acme', key: ' thread:t1' },
    ];
    for (const [at, owner] of owners.entries()) {
      await store.compareAndSet({ owner, run: { runId: 'r1', epoch: 1 }, version: 0, memory: { at } });
    }
  });
  afterAll(() => store.close());
  const ask = async (request: object, tenant = 'acme', caller: string = OPERATOR_CALLER) => {
    const answer = await createMemoryGet(store)(API['memory-get'].request.parse(request), { tenant, caller });
    return API['memory-get'].answer.parse(answer);
  };

  test('memory-get returns the memory of a resource, of one of its threads, or of a thread without a resource, and never that of another tenant', async () => {
    expect(await ask({ resourceId: 'ada' })).toEqual({ memory: { at: 1 }, version: 1 });
    expect(await ask({ resourceId: 'ada', threadId: 't1' })).toEqual({ memory: { at: 2 }, version: 1 });
    expect(await ask({ threadId: 't1' })).toEqual({ memory: { at: 3 }, version: 1 });
    expect(await ask({ resourceId: 'nobody' })).toEqual({ memory: null, version: 0 });
    expect(await ask({ resourceId: 'ada', tenant: 'acme' }, 'other')).toEqual({ memory: null, version: 0 });
  });

  test('memory-get answers a caller with the memory of its own resource only', async () => {
    const ada = await hashCaller('acme', 'ada');
    expect(await ask({ resourceId: 'ada', threadId: 't1' }, 'acme', ada)).toMatchObject({ memory: { at: 2 } });
    for (const request of [{ resourceId: 'acme' }, { threadId: 't1' }])
      await expect(ask(request, 'acme', ada)).rejects.toMatchObject({ code: 'message-invalid', path: 'resourceId' });
  });

  test("memory-get names the missing field if the request names no owner, and does not return the tenant's memory", async () => {
    await expect(ask({})).rejects.toMatchObject({
      code: 'message-invalid',
      path: 'resourceId',
      remedy: expect.stringContaining('threadId'),
    });
  });
});

describe('memory-set', () => {
  let store: WorkingMemoryStore;
  beforeAll(() => void (store = openSqliteMemoryStore({ path: ':memory:' })));
  afterAll(() => store.close());
  const set = async (request: object) =>
    API['memory-set'].answer.parse(
      await createMemorySet(store)(API['memory-set'].request.parse(request), {
        tenant: 'acme',
        caller: OPERATOR_CALLER,
      }),
    );
  const read = (key: string, threadId?: string) => store.read({ tenant: 'acme', key, threadId });

  test('memory-set replaces the memory that memory-get returns, and an operator’s memory is trusted', async () => {
    expect(await set({ resourceId: 'ada', memory: { name: 'Ada' } })).toEqual({ memory: { name: 'Ada' }, version: 1 });
    expect(await set({ resourceId: 'ada', memory: { city: 'Oslo' } })).toMatchObject({ version: 2 });
    expect(await read('ada')).toEqual({ memory: { city: 'Oslo' }, version: 2, trust: 'trusted' });
    await set({ resourceId: 'ada', threadId: 't1', memory: { of: 'thread' } });
    expect((await read('ada', 't1')).memory).toEqual({ of: 'thread' });
    expect(await set({ resourceId: 'ada', memory: null })).toEqual({ memory: null, version: 3 });
  });

  test('memory-set replaces only the requested version', async () => {
    const memory = { a: 1 };
    await set({ resourceId: 'versions', memory, version: 0 });
    const late = set({ resourceId: 'versions', memory: { b: 1 }, version: 0 });
    await expect(late).rejects.toMatchObject({ code: 'state-conflict', path: 'version' });
    expect((await read('versions')).memory).toEqual(memory);
  });

  test('a repeated memory-set with the same setId has no further effect', async () => {
    const request = { resourceId: 'repeated', memory: { a: 1 }, version: 0, setId: 's1' };
    await set(request);
    await set({ resourceId: 'repeated', memory: { b: 1 } });
    expect(await set(request)).toEqual({ memory: { b: 1 }, version: 2 });
  });

  test('memory-set rejects a memory that exceeds the limit of every memory', async () => {
    const memory = { text: 'x'.repeat(40_000) };
    await expect(set({ resourceId: 'big', memory })).rejects.toMatchObject({ code: 'message-invalid', path: 'memory' });
    expect((await read('big')).memory).toBeNull();
  });

  test('the deletion of a thread deletes its own memory, and not that of its resource', async () => {
    await set({ resourceId: 'carol', memory: { a: 1 } });
    await set({ resourceId: 'carol', threadId: 't1', memory: { b: 1 } });
    await set({ threadId: 't2', memory: { c: 1 } });
    const place = { what: 'thread', tenant: 'acme' } as const;
    expect(await forgetMemories(store, { ...place, threadId: 't1', resourceId: 'carol' })).toEqual({ deleted: 1 });
    expect(await forgetMemories(store, { ...place, threadId: 't2' })).toEqual({ deleted: 1 });
    expect([(await read('carol')).memory, (await read('carol', 't1')).memory]).toEqual([{ a: 1 }, null]);
    expect((await read(' thread:t2')).memory).toBeNull();
  });
});
