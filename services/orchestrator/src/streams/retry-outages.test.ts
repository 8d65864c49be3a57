import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { retryThroughOutages } from './retry-outages.ts';

function failing(times: number, error: () => Error) {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries <= times) throw error();
    return 'done';
  };
  return { work, tries: () => tries };
}

test('work through an outage that fails for a while succeeds in the end', async () => {
  const { work, tries } = failing(2, () => new Error('no leader'));
  expect(await retryThroughOutages('the state', work)).toBe('done');
  expect(tries()).toBe(3);
});

test('work through a lasting outage is abandoned, with its name and the reason', async () => {
  const { work } = failing(Infinity, () => new Error('no leader'));
  await expect(retryThroughOutages('the state', work, 300)).rejects.toMatchObject({
    code: 'bus-unreachable',
    message: expect.stringMatching(/the state.*no leader/),
    cause: expect.any(Error),
  });
});

test('work with a permanent failure is not retried through an outage', async () => {
  const { work, tries } = failing(Infinity, () => new MillraceError('message-too-large', 'too large'));
  await expect(retryThroughOutages('the state', work)).rejects.toMatchObject({ code: 'message-too-large' });
  expect(tries()).toBe(1);
});
