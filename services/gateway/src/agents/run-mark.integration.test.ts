// A run that cannot be continued: its request ends, so that nothing renews its record any more.
import { MillraceError } from '@millrace/contracts';
import { useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import type { RequestEnd } from '../recent/request-record.ts';
import { openAndContinue } from './run-mark.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator']);

test('A request ends if the run of its answers is unknown', async () => {
  const ends: RequestEnd[] = [];
  const mark = {
    find: async () => undefined,
    open: async () => ({ end: async (end: RequestEnd) => void ends.push(end) }),
  };
  const answers = [{ token: 'x'.repeat(43), data: 'yes' }];
  const parts = { client: stack.client, runId: 'no-such-run', answers, left: new AbortController().signal };
  const continued = openAndContinue(mark, { from: { epoch: 1, index: 1 }, before: {} }, parts);
  await expect(continued).rejects.toThrow(MillraceError);
  expect(ends).toEqual(['sent']);
});
