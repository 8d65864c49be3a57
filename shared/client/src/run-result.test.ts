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
const openSignal = () => new AbortController().signal;

test('The result of a run without one (suspended) is its status', async () => {
  expect(await learnResult(answering({ status: 'suspended' }), 'r', openSignal())).toMatchObject({
    status: 'suspended',
    text: '',
  });
});

test('A short absence of responders does not lose the result', async () => {
  const ask = answering(new MillraceError('nobody-there', 'restarting'), { status: 'cancelled' });
  expect(await learnResult(ask, 'r', openSignal())).toMatchObject({ status: 'cancelled' });
});

test('A run that is active a minute after its deadline is given up with a remedy', async () => {
  const asking = learnResult(answering({ remainingMs: -59_000 }, { remainingMs: -61_000 }), 'r', openSignal());
  await expect(asking).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('61 s ago') });
});

test('Waiting for a result ends with its signal', async () => {
  const controller = new AbortController();
  const asking = learnResult(answering({}), 'r', controller.signal);
  controller.abort();
  await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
});
