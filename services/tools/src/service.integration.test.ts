// Runs the service and checks the answers to a caller and the entries in discovery.
import { gatherInfo, request } from '@millrace/bus';
import { toolReplySchema, type JsonValue, type ToolRequest } from '@millrace/contracts';
import { startService } from '@millrace/service';
import { eventually, useBus, useNats, useService } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { toolsService } from './service.ts';

const TIMEOUT_MS = 5_000;
const nats = useNats();
const asker = useBus(nats, 'asker');
const tools = useService(toolsService, () => ({ NATS_URL: nats.url }));

function call(toolName: string, args: JsonValue, resumeData?: JsonValue) {
  const { bus } = asker;
  const payload: ToolRequest = {
    callId: crypto.randomUUID(),
    run: {
      tenant: 'default',
      runId: 'run-1',
      agent: 'demo',
      epoch: 1,
      resourceId: 'default',
    },
    stepNumber: 0,
    toolCall: { toolCallId: 'call-1', toolName, args },
    requestContext: {},
    ...(resumeData !== undefined && { resumeData }),
    timeoutMs: TIMEOUT_MS,
  };
  return request(bus, {
    subject: bus.subjects.tool('tools', toolName),
    payload,
    reply: toolReplySchema,
    timeoutMs: TIMEOUT_MS,
  });
}

const replicas = () => gatherInfo(asker.bus, { service: 'tools', gatherMs: 300 });

test('the calculator calculates', async () => {
  expect(await call('calculator', { expression: '17 * 23' })).toEqual({
    ok: {
      sequence: 0,
      result: { expression: '17 * 23', result: 391, text: '17 * 23 = 391' },
      replica: tools.running.replica,
    },
  });
});

test('the clock returns the current time', async () => {
  const before = Date.now();
  const answer = await call('clock', { timeZone: 'Europe/Oslo' });
  const after = Date.now();
  expect(answer).toMatchObject({ ok: { result: { timeZone: 'Europe/Oslo', utc: expect.any(String) } } });
  const [utc] = /[\d-]+T[\d:.]+Z/.exec(JSON.stringify(answer)) ?? [''];
  expect(Date.parse(utc)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(utc)).toBeLessThanOrEqual(after);
});

test.each([
  ['calculator', {}, 'tool-arguments-invalid', 'expression'],
  ['calculator', { expression: 17 }, 'tool-arguments-invalid', 'expression'],
  ['calculator', { expression: '17 *' }, 'tool-arguments-invalid', 'expression'],
  ['calculator', { expression: '1 / 0' }, 'tool-failed', 'expression'],
  ['calculator', { expression: '1'.repeat(100_000) }, 'tool-arguments-invalid', 'expression'],
  ['clock', { timeZone: 'Mars/Phobos' }, 'tool-arguments-invalid', 'timeZone'],
])('%s rejects invalid arguments with a code and the position', async (name, args, code, path) => {
  expect(await call(name, args)).toMatchObject({ ok: { error: { code, path } } });
});

test("a question to the user suspends the call, which returns the user's answer", async () => {
  const question = { question: 'Which city?' };
  expect(await call('ask-user', question)).toMatchObject({ ok: { suspended: { payload: question } } });
  expect(await call('ask-user', question, 'Oslo')).toMatchObject({ ok: { result: { answer: 'Oslo' } } });
});

test('the service delivers feedback', async () => {
  expect(await call('send-feedback', { text: 'Well done.' })).toMatchObject({ ok: { result: { delivered: true } } });
});

test('discovery lists the tools and marks the idempotent ones', async () => {
  const [info] = await replicas();
  expect(info?.endpoints.map(({ name, queue_group }) => [name, queue_group])).toEqual([
    ['tool-calculator', 'calculator'],
    ['tool-clock', 'clock'],
    ['tool-ask-user', 'ask-user'],
    ['tool-send-feedback', 'send-feedback'],
  ]);
  const idempotent = (info?.endpoints ?? []).map(
    ({ metadata }) => JSON.parse(metadata?.['millrace'] ?? '').tool.idempotent,
  );
  expect(idempotent).toEqual([true, true, true, false]);
});

describe('replicas of the tools service', () => {
  test('replicas share the calls, and stopping one loses no call', async () => {
    const second = await tools.start();
    const answering = async () => {
      const answer = await call('calculator', { expression: '1 + 1' });
      return 'ok' in answer && 'result' in answer.ok ? answer.ok.replica : 'nobody';
    };
    const ask = () => Promise.all(Array.from({ length: 40 }, answering));
    await eventually(async () => (await replicas()).length === 2);
    expect(new Set(await ask())).toEqual(new Set([tools.running.replica, second.replica]));
    const [during] = await Promise.all([ask(), second.stop()]);
    expect(during).not.toContain('nobody');
    expect(new Set(await ask())).toEqual(new Set([tools.running.replica]));
  });

  test('the service serves the tools that TOOLS names', async () => {
    const clockOnly = await tools.start({ TOOLS: ' clock ' });
    const own = (await replicas()).find(({ id }) => id === clockOnly.replica);
    expect(own?.endpoints.map(({ name }) => name)).toEqual(['tool-clock']);
    await clockOnly.stop();
  });

  test('the service does not start with an unknown tool', async () => {
    const env = { NATS_URL: nats.url, LOG_LEVEL: 'silent', TOOLS: 'clock,abacus' };
    await expect(startService(toolsService, env)).rejects.toMatchObject({
      code: 'tool-unknown',
      path: 'TOOLS',
      message: expect.stringContaining('abacus'),
      remedy: expect.stringContaining('calculator, clock'),
    });
  });
});
