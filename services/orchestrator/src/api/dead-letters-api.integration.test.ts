// Retries of dead letters by an operator are idempotent.
import type { DeadLetter, RunRequest } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { keepDeadLetter } from '../saves/dead-letters.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { noSaves } from '../testing/no-saves.ts';
import { newRun, makeRequest } from '../testing/runs-api.ts';
import { createDeadLettersApi } from './dead-letters-api.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

async function collectGiven(
  letter: (common: Omit<DeadLetter, 'what' | 'request' | 'save'>, request: RunRequest) => DeadLetter,
) {
  const address = newRun();
  const { tenant, run: runId } = address;
  const error = { code: 'run-given-up' as const, message: 'Too many were lost.' };
  const common = { tenant, runId, agent: 'demo', at: '2026-01-01T00:00:00.000Z', error };
  await keepDeadLetter(stream.access, letter(common, makeRequest(address)));
  const requests: RunRequest[] = [];
  const api = createDeadLettersApi(stream.access, noSaves, async (request) => void requests.push(request));
  return { retry: () => api.retry({}, address), requests, runId };
}

test('a run that ten callers retry at once is one run', async () => {
  const { retry, requests } = await collectGiven((common, request) => ({ ...common, what: 'run', request }));
  const answers = await Promise.all(Array.from({ length: 10 }, retry));
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
  expect(new Set(requests.map(({ runId }) => runId)).size).toBe(1);
});

test('a retried run has the settings of the first one', async () => {
  const settings = { structuredOutput: { schema: { type: 'object' } }, toolChoice: 'none', release: 'step' } as const;
  const { retry, requests, runId } = await collectGiven((common, request) => ({
    ...common,
    what: 'run',
    request: { ...request, ...settings },
  }));
  await retry();
  expect(requests).toMatchObject([{ ...settings, retryOf: runId }]);
});

test('a save that was made after a retry is not repeated, and an expired one is reported as such', async () => {
  const put = { epoch: 1, entries: ['history'], since: 1, place: 1, tries: 1, timeouts: 0, nextAt: 1 };
  const letter = (retriedAs?: string) =>
    collectGiven((common) => ({
      ...common,
      what: 'save',
      ...(retriedAs && { retriedAs }),
      save: { ...common, ...put },
    }));
  const made = await letter('made');
  expect(await made.retry()).toEqual({ what: 'save', runId: 'made' });
  const lost = await letter();
  await expect(lost.retry()).rejects.toMatchObject({
    code: 'run-unknown',
    message: `The input of the save of "${lost.runId}" has expired.`,
  });
});
