import { MillraceError, type ApiAnswer } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { learnResult, type AskRun } from './run-result.ts';

const answering =
  (...answers: (Partial<ApiAnswer<'run'>> | MillraceError)[]): AskRun =>
  async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (MillraceError.isInstance(answer)) throw answer;
    return { runId: 'r', status: 'running', ...answer };
  };
const open = () => new AbortController().signal;

test('the result of a run that has ended without one (suspended) is its status', async () => {
  expect(await learnResult(answering({ status: 'suspended' }), 'r', open())).toMatchObject({
    status: 'suspended',
    text: '',
  });
});

test('nobody answering for a moment does not lose the result', async () => {
  const ask = answering(new MillraceError('nobody-there', 'restarting'), { status: 'cancelled' });
  expect(await learnResult(ask, 'r', open())).toMatchObject({ status: 'cancelled' });
});

test('a run that is a minute past its deadline and never ends is given up, with what to do', async () => {
  const asking = learnResult(answering({ remainingMs: -59_000 }, { remainingMs: -61_000 }), 'r', open());
  await expect(asking).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('61 s ago') });
});

test('waiting for a result ends with its signal', async () => {
  const controller = new AbortController();
  const asking = learnResult(answering({}), 'r', controller.signal);
  controller.abort();
  await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
});
