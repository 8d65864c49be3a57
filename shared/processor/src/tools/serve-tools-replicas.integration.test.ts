// Tests tools in several processes: replicas, discovery and cancellation.
import { gatherInfo, publish, type Bus } from '@millrace/bus';
import { endpointMetadataSchema, METADATA_KEY } from '@millrace/contracts';
import { createResources } from '@millrace/service';
import { eventually, passingProcessor, useBus, useNats } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { advertiseService } from '../processor-service.ts';
import { serveProcessors } from '../serve/serve-processors.ts';
import { serveTools } from './serve-tools.ts';
import { testTool } from '../testing/test-tool.ts';
import { callTool } from '../testing/tool-call.ts';
import type { Tool } from './tool-definition.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const hosts = useBus(nats, 'hosts');

const DRAIN_GRACE_MS = 2_000;
const resources = createResources();
afterAll(() => resources.release());

/** Each test has tools of its own, so that none answers another's calls. */
async function host(tools: Tool[], bus: Bus = hosts.bus, into = resources) {
  const endpoints = serveTools({ bus, resources: into, tools, drainGraceMs: DRAIN_GRACE_MS });
  await bus.nc.flush();
  return endpoints;
}

describe('a cancelled call', () => {
  /** Answers the reason of its signal; `waiting` counts the calls under way. */
  const patient = (name: string, waiting: Set<string>, timeoutMs = 60_000) =>
    testTool(
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

  test('The abortSignal fires only for the call that the caller cancelled', async () => {
    const waiting = new Set<string>();
    await host([patient('patient', waiting)]);
    const ask = (callId: string) =>
      callTool(asker.bus, 'patient', {}, { callId, toolCall: { toolCallId: callId, toolName: 'patient', args: {} } });
    const [first, second] = [ask('first'), ask('second')];
    await eventually(() => waiting.size === 2);
    publish(asker.bus, asker.bus.subjects.cancelCalls('hosts'), { callIds: ['first', 'never-heard-of'] });
    expect((await first).answer).toMatchObject({ ok: { result: expect.stringContaining('was cancelled') } });
    expect(waiting).toEqual(new Set(['second']));
    publish(asker.bus, asker.bus.subjects.cancelCalls('hosts'), { callIds: ['second'] });
    await second;
  });

  test.each([
    ['caller', 20, 60_000],
    ['tool', 60_000, 20],
  ])('The abortSignal fires at the timeout of the %s', async (whose, callersMs, toolsMs) => {
    await host([patient(`slow-${whose}`, new Set(), toolsMs)]);
    const { answer } = await callTool(asker.bus, `slow-${whose}`, {}, { timeoutMs: callersMs });
    expect(answer).toMatchObject({ ok: { result: expect.stringContaining('more than 20 ms') } });
  });
});

describe('replicas', () => {
  test('Replicas share the calls: each call is executed once', async () => {
    const executed: string[] = [];
    const second = await hosts.connect();
    for (const bus of [hosts.bus, second]) {
      await host([testTool('shared', async (_, { toolCallId }) => executed.push(`${bus.id} ${toolCallId}`))], bus);
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

  test('Stopping replicas finish their calls and accept no new ones', async () => {
    const bus = await hosts.connect();
    const own = createResources();
    const gate = Promise.withResolvers<void>();
    let entered = 0;
    await host(
      [
        testTool('leaving', async () => {
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
  const findInfo = (service: string) => gatherInfo(asker.bus, { service, gatherMs: 1_000, max: 1 });

  test('Discovery lists a tool with the data that a model needs, until the service stops', async () => {
    const bus = await hosts.connect({ name: 'toolbox' });
    const own = createResources();
    const endpoints = await host([testTool('hammer', async () => 1, { idempotent: true, timeoutMs: 700 })], bus, own);
    advertiseService({ bus, resources: own, version: '1.2.3', description: 'a toolbox', endpoints, limits: {} });
    await bus.nc.flush();
    const [info] = await findInfo('toolbox');
    expect(info).toMatchObject({ version: '1.2.3', description: 'a toolbox', id: bus.id });
    const [shown] = info?.endpoints ?? [];
    expect(shown).toMatchObject({
      name: 'tool-hammer',
      queue_group: 'hammer',
      subject: bus.subjects.tool('toolbox', 'hammer'),
    });
    expect(endpointMetadataSchema.parse(JSON.parse(shown?.metadata?.[METADATA_KEY] ?? ''))).toMatchObject({
      kind: 'tool',
      tool: {
        name: 'hammer',
        description: 'the tool hammer',
        subject: bus.subjects.tool('toolbox', 'hammer'),
        idempotent: true,
        timeoutMs: 700,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
      },
    });
    await own.release();
    expect(await findInfo('toolbox')).toEqual([]);
  });

  test('Discovery lists tools together with the processors of the same process', async () => {
    const bus = await hosts.connect({ name: 'both' });
    const own = createResources();
    const endpoints = await host([testTool('beside', async () => 1)], bus, own);
    const version = '0.1.0';
    const definitions = [passingProcessor('plain')];
    const beside = await serveProcessors({ bus, resources: own, version, definitions, drainGraceMs: DRAIN_GRACE_MS });
    advertiseService({
      bus,
      resources: own,
      version,
      description: 'both',
      endpoints: [...beside, ...endpoints],
      limits: {},
    });
    await bus.nc.flush();
    const [info] = await findInfo('both');
    expect(info?.endpoints.map(({ name }) => name)).toEqual(['processInput-plain', 'tool-beside']);
    expect(await own.release()).toEqual([]);
  });
});

describe('the selection of tools', () => {
  test('TOOLS selects tools, and an unknown name is rejected with the known names', () => {
    const tools = [testTool('one', async () => 1), testTool('two', async () => 2)];
    const serve = (only: string[]) => serveTools({ bus: hosts.bus, resources, tools, only, drainGraceMs: 0 });
    expect(serve(['two']).map(({ name }) => name)).toEqual(['tool-two']);
    expect(() => serve(['two', 'three'])).toThrow(
      expect.objectContaining({ code: 'tool-unknown', path: 'TOOLS', remedy: expect.stringContaining('one, two') }),
    );
  });
});
