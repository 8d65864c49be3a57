import type { SrvInfo } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createInfoConfirmation } from './confirm-infos.ts';

const makeInfo = (id: string, more: Partial<SrvInfo> = {}): SrvInfo => ({
  type: 'io.nats.micro.v1.info_response',
  name: 'guards',
  id,
  version: '1.0.0',
  metadata: {},
  description: '',
  endpoints: [],
  ...more,
});

/** @param own the answers of the replicas themselves, by id */
function createConfirmation(own: Record<string, SrvInfo>) {
  const confirm = createInfoConfirmation((_service, replica) => Promise.resolve(own[replica]));
  return async (...answers: SrvInfo[]) => (await confirm(answers, 1)).fingerprint;
}

describe('the fingerprint of a look', () => {
  test('is the same if the same replicas advertise the same, in any order', async () => {
    const [one, other] = [makeInfo('one'), makeInfo('other')];
    const look = createConfirmation({ one, other });
    const first = await look(one, other);
    expect(first).toEqual(expect.any(String));
    expect(await look(other, one)).toBe(first);
  });

  test('differs if a replica is added, leaves, or advertises another description', async () => {
    const own = { one: makeInfo('one'), other: makeInfo('other') };
    const look = createConfirmation(own);
    const alone = await look(own.one);
    const both = await look(own.one, own.other);
    own.other = makeInfo('other', { description: 'new' });
    const changed = await look(own.one, own.other);
    expect(new Set([alone, both, changed]).size).toBe(3);
    expect(await look(own.one)).toBe(alone);
  });

  test('is absent if a replica does not confirm its answer, or its name is invalid', async () => {
    const one = makeInfo('one');
    const look = createConfirmation({ one });
    expect(await look(one, makeInfo('forged'))).toBeUndefined();
    expect(await look(one, makeInfo('one', { name: 'no token' }))).toBeUndefined();
  });
});
