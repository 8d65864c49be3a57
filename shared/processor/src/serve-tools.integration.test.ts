// Tools over a real bus: what a call is answered with, how it is given up, and who answers it.
import { createResources } from '@millrace/service';
import { gatherInfo, publish, request, type Bus } from '@millrace/bus';
import { MillraceError, endpointMetadataSchema, toolReplySchema, METADATA_KEY } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { advertiseService } from './advertise-service.ts';
import { defineProcessor } from './processor-definition.ts';
import { serveProcessors } from './serve-processors.ts';
import { serveTools } from './serve-tools.ts';
import { callTool } from './testing/tool-call.ts';
import { defineTool, type Tool } from './tool-definition.ts';

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
async function host(tools: Tool[], bus: Bus = hosts.bus, into = resources) {
  const endpoints = serveTools({ bus, resources: into, tools, drainGraceMs: DRAIN_GRACE_MS });
  await bus.nc.flush();
  return endpoints;
}

function tool(name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  const inputSchema = z.strictObject({ text: z.string().optional() });
  return defineTool({ name, description: `the tool ${name}`, inputSchema, execute, ...more });
}

describe('a call', () => {
  test('is answered with the result, and the tool knows what it is called for', async () => {
    await host([
      tool('echo', async (args, context) => {
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
        n: 0,
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
      tool('steps', async (_, { writer }) => {
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
    expect(answer).toMatchObject({ ok: { n: 2, result: 'done' } });
  });

  test('goes on after a chunk that could not be written', async () => {
    await host([
      tool('stubborn', async (_, { writer }) => {
        const refused = await writer.custom({ type: 'data-big', data: tooLong() }).catch((error) => error);
        await writer.custom({ type: 'data-small' });
        return MillraceError.isInstance(refused) ? refused.code : 'written';
      }),
    ]);
    const { answer, progress } = await callTool(asker.bus, 'stubborn', {});
    expect(progress).toEqual([expect.objectContaining({ type: 'data-small' })]);
    expect(answer).toMatchObject({ ok: { n: 1, result: 'message-too-large' } });
  });

  test('has null for a result as well as any other', async () => {
    await host([tool('nothing', async () => null)]);
    expect((await callTool(asker.bus, 'nothing', {})).answer).toMatchObject({ ok: { result: null } });
  });
});

describe('a call that fails', () => {
  test.each([
    ['a', { text: 3 }, 'text'],
    ['b', { nosuch: 1 }, 'nosuch'],
    ['c', 'text', 'expected object'],
    ['d', null, 'expected object'],
  ])('for its arguments (%s: %j) says what is wrong, and the tool does not run', async (letter, args, problem) => {
    const name = `picky-${letter}`;
    let ran = 0;
    await host([tool(name, async () => ++ran)]);
    expect((await callTool(asker.bus, name, args)).answer).toMatchObject({
      ok: {
        n: 0,
        error: { code: 'tool-arguments-invalid', message: expect.stringContaining(problem) },
        replica: hosts.bus.id,
      },
    });
    expect(ran).toBe(0);
  });

  test('for one argument names its path', async () => {
    await host([tool('pathy', async () => 1)]);
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
    await host([tool(name, () => Promise.reject(thrown))]);
    expect((await callTool(asker.bus, name, {})).answer).toMatchObject({ ok: { n: 0, error } });
  });

  test('for a result that is not JSON says where', async () => {
    await host([
      tool('foreign', async () => JSON.parse('{"list":[1]}', (key, value) => (key === '0' ? () => 1 : value))),
    ]);
    expect((await callTool(asker.bus, 'foreign', {})).answer).toMatchObject({
      ok: { error: { code: 'tool-failed', path: 'result.list[0]' } },
    });
  });

  test('for a result that is too large is answered all the same', async () => {
    await host([tool('huge', async () => tooLong())]);
    expect((await callTool(asker.bus, 'huge', {})).answer).toMatchObject({ error: { code: 'message-too-large' } });
  });

  test('is counted and logged with its run, and without what was said', async () => {
    const [endpoint] = await host([tool('private', () => Promise.reject(new Error('the secret word')))]);
    await callTool(asker.bus, 'private', {});
    expect(endpoint?.serving.stats).toMatchObject({ requests: 1, errors: 1, lastError: 'tool-failed' });
    const lines = logged.filter((line) => 'tool' in line && line.tool === 'private');
    expect(lines).toEqual([expect.objectContaining({ run: 'run-1', code: 'tool-failed' })]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  test('because it is no tool request is answered with what is wrong', async () => {
    await host([tool('strict', async () => 1)]);
    const subject = asker.bus.subjects.tool('strict');
    expect(
      await request(asker.bus, { subject, payload: { callId: 'x' }, reply: toolReplySchema, timeoutMs: 2_000 }),
    ).toMatchObject({ error: { code: 'message-invalid' } });
  });
});

describe('a call that is given up', () => {
  /** Answers why its signal fired; `waiting` counts the calls that are under way. */
  const patient = (name: string, waiting: Set<string>, timeoutMs = 60_000) =>
    tool(
      name,
      (_, { abortSignal, toolCallId }) =>
        new Promise((resolve) => {
          waiting.add(toolCallId);
          abortSignal.addEventListener('abort', () => {
            waiting.delete(toolCallId);
            resolve(String(abortSignal.reason));
          });
        }),
      { timeoutMs },
    );

  test('by the caller is told by its abortSignal, and no other call is', async () => {
    const waiting = new Set<string>();
    await host([patient('patient', waiting)]);
    const ask = (callId: string) =>
      callTool(asker.bus, 'patient', {}, { callId, toolCall: { toolCallId: callId, toolName: 'patient', args: {} } });
    const [first, second] = [ask('first'), ask('second')];
    await eventually(() => waiting.size === 2);
    publish(asker.bus, asker.bus.subjects.cancelCalls('hosts'), { callIds: ['first', 'never-heard-of'] });
    expect((await first).answer).toMatchObject({ ok: { result: expect.stringContaining('given up') } });
    expect(waiting).toEqual(new Set(['second']));
    publish(asker.bus, asker.bus.subjects.cancelCalls('hosts'), { callIds: ['second'] });
    await second;
  });

  test.each([
    ['caller', 20, 60_000],
    ['tool', 60_000, 20],
  ])('by the clock of the %s is told the same', async (whose, callersMs, toolsMs) => {
    await host([patient(`slow-${whose}`, new Set(), toolsMs)]);
    const { answer } = await callTool(asker.bus, `slow-${whose}`, {}, { timeoutMs: callersMs });
    expect(answer).toMatchObject({ ok: { result: expect.stringContaining('more than 20 ms') } });
  });
});

describe('replicas', () => {
  test('share the calls: each is executed once', async () => {
    const executed: string[] = [];
    const second = await hosts.connect();
    for (const bus of [hosts.bus, second]) {
      await host([tool('shared', async (_, { toolCallId }) => executed.push(`${bus.id} ${toolCallId}`))], bus);
    }
    const calls = Array.from({ length: 40 }, (_, index) => `call-${index}`);
    await Promise.all(
      calls.map((toolCallId) =>
        callTool(asker.bus, 'shared', {}, { toolCall: { toolCallId, toolName: 'shared', args: {} } }),
      ),
    );
    expect(executed).toHaveLength(calls.length);
    expect(new Set(executed.map((line) => line.split(' ')[1]))).toEqual(new Set(calls));
    expect(new Set(executed.map((line) => line.split(' ')[0]))).toEqual(new Set([hosts.bus.id, second.id]));
  });

  test('that stop finish the calls that they have, and take no new ones', async () => {
    const bus = await hosts.connect();
    const own = createResources();
    const gate = Promise.withResolvers<void>();
    let entered = 0;
    await host(
      [
        tool('leaving', async () => {
          entered += 1;
          if (entered === 1) await gate.promise;
          return 'finished';
        }),
      ],
      bus,
      own,
    );
    const call = callTool(asker.bus, 'leaving', {});
    await eventually(() => entered > 0);
    const released = own.release();
    await eventually(async () => {
      const { answer } = await callTool(asker.bus, 'leaving', {});
      return 'error' in answer && answer.error.code === 'nobody-there';
    });
    gate.resolve();
    expect((await call).answer).toMatchObject({ ok: { result: 'finished' } });
    expect(await released).toEqual([]);
  });
});

describe('discovery', () => {
  const infoOf = (service: string) => gatherInfo(asker.bus, { service, gatherMs: 1_000, max: 1 });

  test('shows a tool as a model needs it, until the service stops', async () => {
    const bus = await hosts.connect({ name: 'toolbox' });
    const own = createResources();
    const endpoints = await host([tool('hammer', async () => 1, { idempotent: true, timeoutMs: 700 })], bus, own);
    advertiseService({ bus, resources: own, version: '1.2.3', description: 'a toolbox', endpoints });
    await bus.nc.flush();
    const [info] = await infoOf('toolbox');
    expect(info).toMatchObject({ version: '1.2.3', description: 'a toolbox', id: bus.id });
    const [shown] = info?.endpoints ?? [];
    expect(shown).toMatchObject({ name: 'tool-hammer', queue_group: 'hammer', subject: bus.subjects.tool('hammer') });
    expect(endpointMetadataSchema.parse(JSON.parse(shown?.metadata?.[METADATA_KEY] ?? ''))).toMatchObject({
      kind: 'tool',
      tool: {
        name: 'hammer',
        description: 'the tool hammer',
        subject: bus.subjects.tool('hammer'),
        idempotent: true,
        timeoutMs: 700,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
      },
    });
    await own.release();
    expect(await infoOf('toolbox')).toEqual([]);
  });

  test('shows tools beside the processors of the same process', async () => {
    const bus = await hosts.connect({ name: 'both' });
    const own = createResources();
    const endpoints = await host([tool('beside', async () => 1)], bus, own);
    const processor = defineProcessor({
      id: 'plain',
      description: 'does nothing',
      stages: ['processInput'],
      reads: [],
      options: z.strictObject({}),
      create: () => ({ id: 'plain', processInput: () => undefined }),
    });
    serveProcessors({
      bus,
      resources: own,
      version: '0.1.0',
      description: 'both',
      definitions: [processor],
      drainGraceMs: DRAIN_GRACE_MS,
      endpoints,
    });
    await bus.nc.flush();
    const [info] = await infoOf('both');
    expect(info?.endpoints.map(({ name }) => name)).toEqual(['processInput-plain', 'tool-beside']);
    expect(await own.release()).toEqual([]);
  });
});

describe('the choice of tools', () => {
  test('leaves the others out, and an unknown name is refused with those that there are', () => {
    const tools = [tool('one', async () => 1), tool('two', async () => 2)];
    const serve = (only: string[]) => serveTools({ bus: hosts.bus, resources, tools, only, drainGraceMs: 0 });
    expect(serve(['two']).map(({ name }) => name)).toEqual(['tool-two']);
    expect(() => serve(['two', 'three'])).toThrow(
      expect.objectContaining({ code: 'tool-unknown', path: 'TOOLS', remedy: expect.stringContaining('one, two') }),
    );
  });
});
