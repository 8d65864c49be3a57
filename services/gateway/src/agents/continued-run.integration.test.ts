// A request that answers a question, over a real NATS server. The orchestrator is scripted.
import { connect, type Client } from '@millrace/client';
import type { Chunk } from '@millrace/contracts';
import { serveScriptedApi, useBus, useNats, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerAll } from './answer-question.ts';
import { openAndContinue } from './run-mark.ts';

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
      answer: async ({ hold }, { run: runId = '' }) => {
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
  const mark = { find: async () => undefined, open: async () => ({ settle: async () => undefined }) };
  const parts = { client, runId, answers: [{ token: 'the token', data: 'yes' }], left: new AbortController().signal };
  const { run } = await openAndContinue(mark, { from: { epoch: 1, index: 1 }, before: {} }, parts);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the answer' });
});

test('A run that continues with several answers does not end with a later suspension that lists one of their questions', async () => {
  const asked = await client.start('asks', 'hi');
  await asked.result();
  const decisions = ['the token', 'another token'].map((token) => ({ token, data: 'yes' }));
  const run = await answerAll(client, asked, decisions, new AbortController().signal);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the answer' });
});
