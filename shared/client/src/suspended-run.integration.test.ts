// Tests suspending and resuming a run as its caller sees it, over a real NATS server. The orchestrator is a scripted
// stand-in.
import { MillraceError, type ApiRequest, type Chunk } from '@millrace/contracts';
import type { ApiCall } from '@millrace/bus';
import { serveScriptedApi, useBus, useNats, type ScriptedApi, type ScriptedRun } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from './client.ts';
import type { Client } from './client-api.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
let client: Client;
const received: ApiRequest<'resume'>[] = [];
let failures = 0;

const suspendedChunk = (runId: string): Chunk => ({
  type: 'suspended',
  runId,
  from: 'AGENT',
  payload: { payload: 'which?', resumeToken: 'the token', expiresAt: '2030-01-01T00:00:00.000Z' },
});
function askWhich(run: ScriptedRun): void {
  run.say(run.text('Hello, '));
  run.end('suspended', suspendedChunk(run.request.runId), { text: 'Hello, ' });
}
/** Stores the answer; another orchestrator resumes at the index of the `suspended` chunk. */
const goOn = async (request: ApiRequest<'resume'>, { run: runId = '' }: ApiCall) => {
  received.push(request);
  if (failures > 0) {
    failures -= 1;
    throw new MillraceError('store-unavailable', 'NATS has no store now.');
  }
  if (request.token !== 'the token') throw new MillraceError('resume-token-invalid', 'No.');
  const run = api.runs.get(runId);
  setTimeout(() => {
    run?.takeOver(1);
    if (run?.request.agent === 'repeats') {
      run.end('suspended', suspendedChunk(runId), { text: 'Hello, ' });
      run.takeOver(1);
    }
    run?.say(run.text('the answer'));
    run?.finish('Hello, the answer');
  }, 50);
  return { runId, accepted: true as const, epoch: 1 };
};

beforeAll(async () => {
  api = serveScriptedApi(service.bus, {
    agents: {
      asks: askWhich,
      // Was suspended again when the answer arrived.
      repeats: askWhich,
    },
    answers: {
      resume: goOn,
      answer: goOn,
      release: async (_, { run: runId = '' }) => ({ runId, status: 'released' }),
      'suspended-list': async ({ after }) => {
        const page = { agent: 'asks', epoch: 1, suspendedAt: '2026-01-01T00:00:00.000Z', pending: [] };
        return after === 0
          ? { suspended: [{ ...page, runId: 'one' }], next: 7 }
          : { suspended: [{ ...page, runId: `after-${after}` }] };
      },
    },
  });
  client = await connect({ url: nats.url });
});
afterAll(async () => {
  await client.close();
  await api.stop();
});

const collectTypes = async (stream: AsyncIterable<Chunk>) => {
  const types: string[] = [];
  for await (const chunk of stream) types.push(chunk.type === 'text-delta' ? chunk.payload.text : chunk.type);
  return types;
};

test.each(['resume', 'answer'] as const)(
  'The stream of a suspended run ends and continues in the run that %s() returns, chunk by chunk',
  async (verb) => {
    const run = await client.start('asks', 'hi');
    expect(await collectTypes(run.fullStream)).toEqual(['Hello, ', 'suspended']);
    expect(await run.result()).toMatchObject({ status: 'suspended', text: 'Hello, ' });
    const next = await run[verb]('the token', { approved: true });
    expect(await collectTypes(next.fullStream)).toEqual(['retract', 'the answer', 'finish']);
    expect(await next.result()).toMatchObject({ status: 'finished', text: 'Hello, the answer' });
    expect(received.at(-1)).toMatchObject({ token: 'the token', data: { approved: true } });
  },
);

test('A reader that answers before it has read the suspension reads on until the end', async () => {
  const run = await client.start('asks', 'hi');
  await run.result();
  const early = await client.follow(run.runId, { signal: AbortSignal.abort() });
  const next = await early.resume('the token', 1);
  expect(await collectTypes(next.fullStream)).toEqual(['Hello, ', 'retract', 'the answer', 'finish']);
  expect(await next.result()).toMatchObject({ status: 'finished' });
});

test('A later suspension that lists the answered question does not end the run', async () => {
  const run = await client.start('repeats', 'hi');
  await run.result();
  const next = await run.answer('the token', 1);
  expect(await collectTypes(next.fullStream)).toEqual(['retract', 'retract', 'the answer', 'finish']);
  expect(await next.result()).toMatchObject({ status: 'finished', text: 'Hello, the answer' });
});

test('A rejected answer reports the reason', async () => {
  const run = await client.start('asks', 'hi');
  await run.result();
  await expect(run.resume('another', 1)).rejects.toMatchObject({ code: 'resume-token-invalid' });
});

test('A repeated answer is the same answer', async () => {
  const run = await client.start('asks', 'hi');
  await run.result();
  failures = 1;
  received.length = 0;
  await run.resume('the token', 1);
  expect(received).toHaveLength(2);
  expect(received[0]?.resumeId).toBe(received[1]?.resumeId);
});

test('A run can be released, and pending items are listed by page', async () => {
  const run = await client.start('asks', 'hi');
  await run.result();
  expect(await run.release()).toBe('released');
  expect((await client.runs.listSuspended()).map(({ runId }) => runId)).toEqual(['one', 'after-7']);
});
