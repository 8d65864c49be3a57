import type { SrvInfo } from '@millrace/contracts';
import { expect, test } from 'vitest';
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
  return async (...answers: SrvInfo[]) => (await confirm(answers, 1)).isComplete;
}

test('A look is complete if every replica confirms its answer, a changed one too', async () => {
  const own = { one: makeInfo('one'), other: makeInfo('other') };
  const look = createConfirmation(own);
  expect(await look(own.one)).toBe(true);
  expect(await look(own.one, own.other)).toBe(true);
  own.other = makeInfo('other', { description: 'new' });
  expect(await look(own.one, own.other)).toBe(true);
});

test('A look is not complete if a replica does not confirm its answer', async () => {
  const one = makeInfo('one');
  const look = createConfirmation({ one });
  expect(await look(one, makeInfo('forged'))).toBe(false);
  expect(await look(one, makeInfo('one', { name: 'no token' }))).toBe(false);
});

test('A look is not complete if an answer differs from that of its replica', async () => {
  const own = makeInfo('one');
  const look = createConfirmation({ one: own });
  expect(await look(makeInfo('one', { description: 'forged' }))).toBe(false);
  expect(await look(own, makeInfo('one', { description: 'forged' }))).toBe(false);
  expect(await look(own)).toBe(true);
});
