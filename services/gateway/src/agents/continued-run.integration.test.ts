// A request that answers a question, over a real NATS server. The orchestrator is scripted.
import { connect, type Client } from '@millrace/client';
import { MillraceError, type Chunk } from '@millrace/contracts';
import { serveScriptedApi, useBus, useNats, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { continueAt, openAndContinue, readEnd } from './run-mark.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
let client: Client;

const ask = (runId: string): Chunk => ({
  type: 'suspended',
  runId,
  from: 'AGENT',
  payload: { payload: 'which?', resumeToken: 'the token', expiresAt: '2030-01-01T00:00:00.000Z' },
});

beforeAll(async () => {
  api = serveScriptedApi(service.bus, {
    agents: { asks: (run) => run.end('suspended', ask(run.request.runId), {}) },
    answers: {
      answer: async ({ token, hold }, { run: runId = '' }) => {
        if (token === 'used') throw new MillraceError('resume-token-used', 'It was answered before.');
        const accepted = { runId, accepted: true as const, epoch: 1 };
        if (hold) return accepted;
        const run = api.runs.get(runId);
        // The run was active and is suspended again at the time of the answer.
        run?.takeOver(0);
        run?.end('suspended', ask(runId), {});
        setTimeout(() => {
          run?.takeOver(0);
          run?.say(run.text('the answer'));
          run?.finish('the answer');
        }, 50);
        return accepted;
      },
    },
  });
  client = await connect({ url: nats.url });
});
afterAll(async () => {
  await client.close();
  await api.stop();
});

test('A request that answers a question does not end with a later suspension that lists this question', async () => {
  const { runId } = await client.start('asks', 'hi');
  const mark = { find: async () => undefined, open: async () => ({ end: async () => undefined }) };
  const parts = { client, runId, answers: [{ token: 'the token', data: 'yes' }], left: new AbortController().signal };
  const { run } = await openAndContinue(mark, { from: { epoch: 1, index: 1 }, before: {} }, parts);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the answer' });
});

test('A run that continues with several answers does not end with a later suspension that lists one of their questions', async () => {
  const { run } = await continueWith('the token', 'another token');
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the answer' });
});

test('A run continues with the last of several answers although an earlier request has given another one', async () => {
  await expect(continueWith('used', 'the token')).rejects.toMatchObject({ code: 'resume-token-used' });
  const run = await client.follow([...api.runs.keys()].at(-1) ?? '', {
    from: { epoch: 2, index: 0 },
    answeredTokens: ['the token'],
  });
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the answer' });
});

async function continueWith(...tokens: string[]) {
  const asked = await client.start('asks', 'hi');
  const mark = { from: await readEnd(asked), before: {} };
  const answers = tokens.map((token) => ({ token, data: 'yes' }));
  const left = new AbortController().signal;
  return continueAt(mark, { client, runId: asked.runId, answers, left, isExclusive: true });
}
