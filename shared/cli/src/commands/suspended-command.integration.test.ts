// Tests the commands that list and answer pending items of suspended runs over a real NATS server with scripted
// answers.
import { DENIED_UNEDITED, MillraceError, findDenial, type ApiRequest, type OpenPending } from '@millrace/contracts';
import type { ApiCall } from '@millrace/bus';
import { serveScriptedApi, useBus, useNats, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
const cli = (...args: string[]) => millrace(['runs', ...args], { env: { NATS_URL: nats.url } });
let received: [verb: string, run: string | undefined, request: Partial<ApiRequest<'resume'>>][] = [];
beforeEach(() => void (received = []));

const pending = (id: string, more: Partial<OpenPending> = {}): OpenPending => ({
  id,
  kind: 'approval',
  by: 'approval-gate',
  stage: 'processToolCall',
  toolCall: { toolCallId: 'c', toolName: 'pay', args: { eur: 400 } },
  payload: 'May 400 EUR\nbe paid?',
  expiresAt: '2026-01-08T00:00:00.000Z',
  resumeToken: `token-of-${id}`,
  ...more,
});
const buildSuspended = (runId: string, ...all: OpenPending[]) => ({
  runId,
  agent: 'demo',
  epoch: 1,
  suspendedAt: '2026-01-01T00:00:00.000Z',
  pending: all,
});

beforeAll(() => {
  const keep =
    (verb: string) =>
    async ({ resumeId: _, ...request }: ApiRequest<'resume'>, { run: runId = '' }: ApiCall) => {
      received.push([verb, runId, request]);
      if (request.token === 'used') throw new MillraceError('resume-token-used', 'It was answered before.');
      return { runId, accepted: true as const };
    };
  api = serveScriptedApi(service.bus, {
    answers: {
      resume: keep('resume'),
      answer: keep('answer'),
      run: async (_, { run: runId = '' }) => {
        if (runId === 'nosuch') throw new MillraceError('run-unknown', 'No run "nosuch" exists.');
        if (runId === 'ended') return { runId, status: 'finished' as const };
        const question = pending('d', { kind: 'question', by: 'ask-user', stage: undefined });
        return { runId, status: 'suspended' as const, pending: [question] };
      },
      release: async (_, { run: runId = '' }) => ({ runId, status: 'released' }),
      'suspended-list': async () => ({
        suspended: [
          buildSuspended('one', pending('a')),
          buildSuspended('two', pending('b'), pending('c')),
          buildSuspended('asks', pending('d', { kind: 'question', by: 'ask-user', stage: undefined })),
        ],
      }),
    },
  });
});
afterAll(() => api.stop());

test('runs suspended prints the pending items as a table with one line each, or as JSON', async () => {
  const { stdout, code } = await cli('suspended');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[1]).toMatch(/^one +approval +approval-gate +token-of-a +2026-01-08\S+ +pay \{"eur":400\}: May 400 EUR/);
  expect(JSON.parse((await cli('suspended', '--json')).stdout)).toMatchObject([{ runId: 'one' }, {}, {}]);
});

test.each([
  [['approve', 'one'], { token: 'token-of-a', data: { approved: true } }],
  [['deny', 'one', '--reason', 'too much'], { token: 'token-of-a', data: { approved: false, reason: 'too much' } }],
  [['approve', 'two', '--token', 'token-of-c'], { token: 'token-of-c', data: { approved: true } }],
  [
    ['approve', 'one', '--arguments', '{"eur":40}'],
    { token: 'token-of-a', data: DENIED_UNEDITED, edited: { data: { approved: true }, args: { eur: 40 } } },
  ],
])('%j answers an approval', async (args, request) => {
  const { code, stderr } = await cli(...args);
  expect([code, received]).toEqual([0, [['resume', args[1], request]]]);
  expect(stderr).toContain(`millrace follow ${args[1]}`);
});

test.each([
  ['two', /2 approvals/],
  ['asks', /waits for no approval/],
])('Approving %s without a token is a usage error and sends no answer', async (run, message) => {
  expect(await cli('approve', run)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  expect(received).toEqual([]);
});

test.each([
  ['nosuch', 'run-unknown'],
  ['ended', 'run-not-suspended'],
])('An answer to the run %s without a token exits with 5 and %s', async (run, errorCode) => {
  for (const args of [
    ['approve', run],
    ['deny', run],
    ['resume', run, '1'],
    ['answer', run, '1'],
  ])
    expect(await cli(...args)).toMatchObject({ code: 5, stderr: expect.stringContaining(`(${errorCode})`) });
  expect(received).toEqual([]);
});

test.each([
  [['resume', 'asks', '{"city":"Oslo"}'], 'resume', { city: 'Oslo' }],
  [['answer', 'asks', 'the second one'], 'answer', 'the second one'],
])('%j sends JSON, or the text itself if it is not JSON', async (args, verb, data) => {
  expect((await cli(...args)).code).toBe(0);
  expect(received).toEqual([[verb, 'asks', { token: 'token-of-d', data }]]);
});

test('A version that ignores edited arguments denies the call', () => {
  expect(findDenial(DENIED_UNEDITED)).toContain('edited');
});

test('A rejected answer is printed with its code', async () => {
  const { code, stderr } = await cli('resume', 'one', '1', '--token', 'used');
  expect([code, stderr]).toEqual([5, expect.stringContaining('(resume-token-used)')]);
});

test('runs release releases a run', async () => {
  expect(await cli('release', 'one')).toMatchObject({ code: 0, stdout: 'released\n' });
});
