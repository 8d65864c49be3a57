// Tests the replies to a tool call over a real bus. serve-tools-replicas.integration.test.ts tests replicas and
// cancellation.
import { request } from '@millrace/bus';
import { MillraceError, toolReplySchema } from '@millrace/contracts';
import { createResources } from '@millrace/service';
import { useBus, useNats } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { serveTools } from './serve-tools.ts';
import { testTool } from '../testing/test-tool.ts';
import { callTool } from '../testing/tool-call.ts';
import type { Tool } from './tool-definition.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const logged: object[] = [];
const keep = (fields: object, message: string) => void logged.push({ ...fields, message });
const hosts = useBus(nats, 'hosts', { log: { debug: keep, info: keep, warn: keep, error: keep } });

const DRAIN_GRACE_MS = 2_000;
const resources = createResources();
afterAll(() => resources.release());

const buildTooLong = () => 'x'.repeat(hosts.bus.readMaxPayload());

/** Each test has tools of its own, so that none answers another's calls. */
async function host(tools: Tool[]) {
  const endpoints = serveTools({ bus: hosts.bus, resources, tools, drainGraceMs: DRAIN_GRACE_MS });
  await hosts.bus.nc.flush();
  return endpoints;
}

describe('a call', () => {
  test('A call is answered with the result, and the tool receives its context', async () => {
    await host([
      testTool('echo', async (args, context) => {
        const { run, toolCallId, idempotencyKey, requestContext, abortSignal } = context;
        const sent = requestContext.get('colour') ?? null;
        const runId = requestContext.get('runId') ?? null;
        return {
          args: JSON.stringify(args),
          toolCallId,
          sent,
          runId,
          agent: run.agent,
          key: idempotencyKey ?? null,
          aborted: abortSignal.aborted,
        };
      }),
    ]);
    const { answer } = await callTool(
      asker.bus,
      'echo',
      { text: 'hello' },
      {
        idempotencyKey: 'run-1.call-1',
        requestContext: { colour: 'red', runId: 'forged' },
      },
    );
    expect(answer).toEqual({
      ok: {
        sequence: 0,
        replica: hosts.bus.id,
        result: {
          args: '{"text":"hello"}',
          toolCallId: 'call-1',
          sent: 'red',
          runId: 'run-1',
          agent: 'tester',
          key: 'run-1.call-1',
          aborted: false,
        },
      },
    });
  });

  test('A call reports its progress first, in order and without a gap', async () => {
    await host([
      testTool('steps', async (_, { writer }) => {
        await writer.custom({ type: 'data-step', data: 1 });
        await writer.custom({ type: 'data-step', data: 2, transient: true });
        return 'done';
      }),
    ]);
    const { answer, progress } = await callTool(asker.bus, 'steps', {});
    expect(progress).toEqual([
      { type: 'data-step', data: 1, from: 'AGENT', runId: 'run-1' },
      { type: 'data-step', data: 2, transient: true, from: 'AGENT', runId: 'run-1' },
    ]);
    expect(answer).toMatchObject({ ok: { sequence: 2, result: 'done' } });
  });

  test('A call continues after a chunk that could not be written', async () => {
    await host([
      testTool('stubborn', async (_, { writer }) => {
        const refused = await writer.custom({ type: 'data-big', data: buildTooLong() }).catch((error) => error);
        await writer.custom({ type: 'data-small' });
        return MillraceError.isInstance(refused) ? refused.code : 'written';
      }),
    ]);
    const { answer, progress } = await callTool(asker.bus, 'stubborn', {});
    expect(progress).toEqual([expect.objectContaining({ type: 'data-small' })]);
    expect(answer).toMatchObject({ ok: { sequence: 1, result: 'message-too-large' } });
  });

  test('A call may have the result null', async () => {
    await host([testTool('nothing', async () => null)]);
    expect((await callTool(asker.bus, 'nothing', {})).answer).toMatchObject({ ok: { result: null } });
  });
});

describe('a tool that suspends', () => {
  test('A tool that suspends answers with its payload and is called again with the answer', async () => {
    await host([
      testTool('asking', async (args, { suspend, resumeData }) => {
        if (resumeData === undefined)
          suspend({ question: 'which one?', args: JSON.stringify(args) }, { expiresInSeconds: 9 });
        return { answered: resumeData ?? null };
      }),
    ]);
    const { answer } = await callTool(asker.bus, 'asking', { text: 'x' });
    expect(answer).toEqual({
      ok: {
        sequence: 0,
        suspended: { payload: { question: 'which one?', args: '{"text":"x"}' }, expiresInSeconds: 9 },
        replica: hosts.bus.id,
      },
    });
    const again = await callTool(asker.bus, 'asking', { text: 'x' }, { resumeData: 'the first' });
    expect(again.answer).toMatchObject({ ok: { result: { answered: 'the first' } } });
  });

  test('A tool with an oversized payload of its suspension fails', async () => {
    await host([testTool('asks-long', async (_, { suspend }) => suspend('x'.repeat(40_000)))]);
    const { answer } = await callTool(asker.bus, 'asks-long', {});
    expect(answer).toMatchObject({ ok: { error: { code: 'tool-failed', message: expect.stringMatching(/40002/) } } });
  });
});

describe('a call that fails', () => {
  test.each([
    ['a', { text: 3 }, 'text'],
    ['b', { nosuch: 1 }, 'nosuch'],
    ['c', 'text', 'must be an object'],
    ['d', null, 'must be an object'],
  ])(
    'Invalid arguments (%s: %j) are an error that names the problem, and the tool does not run',
    async (letter, args, problem) => {
      const name = `picky-${letter}`;
      let ran = 0;
      await host([testTool(name, async () => ++ran)]);
      expect((await callTool(asker.bus, name, args)).answer).toMatchObject({
        ok: {
          sequence: 0,
          error: { code: 'tool-arguments-invalid', message: expect.stringContaining(problem) },
          replica: hosts.bus.id,
        },
      });
      expect(ran).toBe(0);
    },
  );

  test('An invalid argument is an error with its path', async () => {
    await host([testTool('pathy', async () => 1)]);
    expect((await callTool(asker.bus, 'pathy', { text: 3 })).answer).toMatchObject({
      ok: { error: { path: 'text', issues: [{ path: 'text', code: 'tool-arguments-invalid' }] } },
    });
  });

  test.each([
    ['an error', new Error('it broke'), { code: 'tool-failed', message: 'it broke' }],
    ['a text', 'just a text', { code: 'tool-failed', message: 'just a text' }],
    [
      'a coded error',
      new MillraceError('store-unavailable', 'No disk.', { path: 'disk', remedy: 'Buy one.' }),
      { code: 'store-unavailable', message: 'No disk.', path: 'disk', remedy: 'Buy one.' },
    ],
  ])('A call with %s is answered with an error code', async (_, thrown, error) => {
    const name = `broken-${error.code}-${typeof thrown}`;
    await host([testTool(name, () => Promise.reject(thrown))]);
    expect((await callTool(asker.bus, name, {})).answer).toMatchObject({ ok: { sequence: 0, error } });
  });

  test('A call with a thrown proxy with throwing traps is answered with an error', async () => {
    const refuse = () => {
      throw new Error('hidden');
    };
    const thrown = new Proxy({}, { has: refuse, getPrototypeOf: refuse });
    await host([testTool('unreadable', () => Promise.reject(thrown))]);
    expect((await callTool(asker.bus, 'unreadable', {})).answer).toMatchObject({
      ok: { error: { code: 'tool-failed', message: 'The members of the thrown value cannot be read.' } },
    });
  });

  test('A result that is not JSON is an error with its path', async () => {
    await host([
      testTool('foreign', async () => JSON.parse('{"list":[1]}', (key, value) => (key === '0' ? () => 1 : value))),
    ]);
    expect((await callTool(asker.bus, 'foreign', {})).answer).toMatchObject({
      ok: { error: { code: 'tool-failed', path: 'result.list[0]' } },
    });
  });

  test('An oversized result is answered with an error', async () => {
    await host([testTool('huge', async () => buildTooLong())]);
    expect((await callTool(asker.bus, 'huge', {})).answer).toMatchObject({ error: { code: 'message-too-large' } });
  });

  test('A failed call is counted and logged with its run and without user data', async () => {
    const [endpoint] = await host([testTool('private', () => Promise.reject(new Error('the secret word')))]);
    await callTool(asker.bus, 'private', {});
    expect(endpoint?.serving.stats).toMatchObject({ requests: 1, errors: 1, lastError: 'tool-failed' });
    const lines = logged.filter((line) => 'tool' in line && line.tool === 'private');
    expect(lines).toEqual([expect.objectContaining({ run: 'run-1', code: 'tool-failed' })]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  test('A malformed tool request is answered with the problem', async () => {
    await host([testTool('strict', async () => 1)]);
    const subject = asker.bus.subjects.tool('hosts', 'strict');
    expect(
      await request(asker.bus, { subject, payload: { callId: 'x' }, reply: toolReplySchema, timeoutMs: 2_000 }),
    ).toMatchObject({ error: { code: 'message-invalid' } });
  });
});
