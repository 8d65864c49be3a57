// What a tool call is answered with, over a real bus. Who answers it, and how it is given up, stand in
// serve-tools-replicas.integration.test.ts.
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

const tooLong = () => 'x'.repeat(hosts.bus.maxPayload());

/** Each test has tools of its own, so that none answers another's calls. */
async function host(tools: Tool[]) {
  const endpoints = serveTools({ bus: hosts.bus, resources, tools, drainGraceMs: DRAIN_GRACE_MS });
  await hosts.bus.nc.flush();
  return endpoints;
}

describe('a call', () => {
  test('is answered with the result, and the tool knows what it is called for', async () => {
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

  test('tells of its progress first, in order and without a gap', async () => {
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

  test('goes on after a chunk that could not be written', async () => {
    await host([
      testTool('stubborn', async (_, { writer }) => {
        const refused = await writer.custom({ type: 'data-big', data: tooLong() }).catch((error) => error);
        await writer.custom({ type: 'data-small' });
        return MillraceError.isInstance(refused) ? refused.code : 'written';
      }),
    ]);
    const { answer, progress } = await callTool(asker.bus, 'stubborn', {});
    expect(progress).toEqual([expect.objectContaining({ type: 'data-small' })]);
    expect(answer).toMatchObject({ ok: { sequence: 1, result: 'message-too-large' } });
  });

  test('has null for a result as well as any other', async () => {
    await host([testTool('nothing', async () => null)]);
    expect((await callTool(asker.bus, 'nothing', {})).answer).toMatchObject({ ok: { result: null } });
  });
});

describe('a tool that suspends', () => {
  test('asks instead of answering, and is called again with what was answered', async () => {
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

  test('with a question that is too long has failed', async () => {
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
  ])('for its arguments (%s: %j) says what is wrong, and the tool does not run', async (letter, args, problem) => {
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
  });

  test('for one argument names its path', async () => {
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
  ])('with %s is answered with a code', async (_, thrown, error) => {
    const name = `broken-${error.code}-${typeof thrown}`;
    await host([testTool(name, () => Promise.reject(thrown))]);
    expect((await callTool(asker.bus, name, {})).answer).toMatchObject({ ok: { sequence: 0, error } });
  });

  test('for a result that is not JSON says where', async () => {
    await host([
      testTool('foreign', async () => JSON.parse('{"list":[1]}', (key, value) => (key === '0' ? () => 1 : value))),
    ]);
    expect((await callTool(asker.bus, 'foreign', {})).answer).toMatchObject({
      ok: { error: { code: 'tool-failed', path: 'result.list[0]' } },
    });
  });

  test('for a result that is too large is answered all the same', async () => {
    await host([testTool('huge', async () => tooLong())]);
    expect((await callTool(asker.bus, 'huge', {})).answer).toMatchObject({ error: { code: 'message-too-large' } });
  });

  test('is counted and logged with its run, and without what was said', async () => {
    const [endpoint] = await host([testTool('private', () => Promise.reject(new Error('the secret word')))]);
    await callTool(asker.bus, 'private', {});
    expect(endpoint?.serving.stats).toMatchObject({ requests: 1, errors: 1, lastError: 'tool-failed' });
    const lines = logged.filter((line) => 'tool' in line && line.tool === 'private');
    expect(lines).toEqual([expect.objectContaining({ run: 'run-1', code: 'tool-failed' })]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  test('because it is no tool request is answered with what is wrong', async () => {
    await host([testTool('strict', async () => 1)]);
    const subject = asker.bus.subjects.tool('strict');
    expect(
      await request(asker.bus, { subject, payload: { callId: 'x' }, reply: toolReplySchema, timeoutMs: 2_000 }),
    ).toMatchObject({ error: { code: 'message-invalid' } });
  });
});
