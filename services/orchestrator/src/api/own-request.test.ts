import { OPERATOR_CALLER, hashCaller, type RunRequest } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makeRequest, newRun } from '../testing/runs-api.ts';
import { bindRequest } from './own-request.ts';

const tenant = 'acme';
const request = (more: Partial<RunRequest> = {}) => makeRequest(newRun(), more);

describe('the request of a caller', () => {
  test('is stored with the caller and the memory of its identity', async () => {
    const caller = await hashCaller(tenant, 'alice');
    expect(await bindRequest(request({ subject: 'alice' }), { tenant, caller })).toMatchObject({
      caller,
      subject: 'alice',
      resourceId: 'alice',
    });
    const named = request({ subject: 'alice', resourceId: 'alice' });
    expect(await bindRequest(named, { tenant, caller })).toMatchObject({ resourceId: 'alice' });
  });

  test.each<[string, string, Partial<RunRequest>]>([
    ['without an identity', 'subject', {}],
    ['with the identity of another caller', 'subject', { subject: 'bob' }],
    ['with the memory of another identity', 'resourceId', { subject: 'alice', resourceId: 'bob' }],
  ])('%s is refused', async (_how, path, more) => {
    const caller = await hashCaller(tenant, 'alice');
    await expect(bindRequest(request(more), { tenant, caller })).rejects.toMatchObject({ code: 'run-refused', path });
  });

  test('of another tenant is refused, because the tenant is part of the hash', async () => {
    const caller = await hashCaller('other', 'alice');
    await expect(bindRequest(request({ subject: 'alice' }), { tenant, caller })).rejects.toMatchObject({
      path: 'subject',
    });
  });
});

describe('the request of an operator', () => {
  test('is stored as it is, with the memory of any identity', async () => {
    const given = request({ resourceId: 'alice' });
    expect(await bindRequest(given, { tenant, caller: OPERATOR_CALLER })).toEqual(given);
  });

  test('with an identity is refused', async () => {
    const asked = bindRequest(request({ subject: 'alice' }), { tenant, caller: OPERATOR_CALLER });
    await expect(asked).rejects.toMatchObject({ code: 'run-refused', path: 'subject' });
  });
});
