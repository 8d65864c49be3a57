import { API, OPERATOR_CALLER, hashCaller } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryGet } from '../service.ts';
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
    const answer = await memoryGet(store)(API['memory-get'].request.parse(request), { tenant, caller });
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
