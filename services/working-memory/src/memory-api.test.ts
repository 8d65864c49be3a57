import { API } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { memoryGet } from './memory-api.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';

test('memory-get answers the memory of a resource, of a thread of it, or of the tenant, never of another tenant', async () => {
  const store = createSqliteMemoryStore(openSqliteDatabase(':memory:'));
  const get = memoryGet(store);
  const owners = [
    { tenant: 'acme', resourceId: 'acme' },
    { tenant: 'acme', resourceId: 'ada' },
    { tenant: 'acme', resourceId: 'ada', threadId: 't1' },
  ];
  for (const [at, owner] of owners.entries()) {
    await store.compareAndSet({ owner, run: { runId: 'r1', epoch: 1 }, version: 0, memory: { at } });
  }
  const ask = async (request: object, tenant = 'acme') => {
    const answer = await get(API['memory-get'].request.parse(request), { tenant });
    return API['memory-get'].answer.parse(answer);
  };
  expect(await ask({})).toEqual({ memory: { at: 0 }, version: 1 });
  expect(await ask({ resourceId: 'ada' })).toEqual({ memory: { at: 1 }, version: 1 });
  expect(await ask({ resourceId: 'ada', threadId: 't1' })).toEqual({ memory: { at: 2 }, version: 1 });
  expect(await ask({ resourceId: 'nobody' })).toEqual({ memory: null, version: 0 });
  expect(await ask({ resourceId: 'ada', tenant: 'acme' }, 'other')).toEqual({ memory: null, version: 0 });
  await store.close();
});
