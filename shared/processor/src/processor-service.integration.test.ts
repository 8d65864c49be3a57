import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gatherInfo, askApi } from '@millrace/bus';
import { METADATA_KEY, endpointMetadataSchema, srvStatsSchema } from '@millrace/contracts';
import { startService } from '@millrace/service';
import { askStage, callEntry, eventually, stageCall, useBus, useNats, useService } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { processorService } from './processor-service.ts';
import { defineProcessor } from './processor/processor-definition.ts';
import { testTool } from './testing/test-tool.ts';
import { callTool } from './testing/tool-call.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');

const passing = (id: string, more: { version?: string } = {}) =>
  defineProcessor({
    id,
    description: `The processor ${id}.`,
    stages: ['processInput'],
    reads: [],
    options: z.strictObject({}),
    create: () => ({ processInput: () => undefined }),
    ...more,
  });

const released: string[] = [];
const everything = processorService({
  name: 'everything',
  version: '2.1.0',
  config: z.object({ GREETING: z.string().default('hello') }),
  processors: [passing('first'), passing('older', { version: '0.3.0' })],
  open({ config, resources }) {
    resources.add('own', () => void released.push('own'));
    return {
      tools: [testTool('greet', async () => config.GREETING)],
      api: { 'threads-list': async ({ resourceId }) => ({ threads: [], total: resourceId === undefined ? 0 : 1 }) },
    };
  },
});
const env = () => ({ NATS_URL: nats.url });
const service = useService(everything, env);
const findInfo = async (name: string) => (await gatherInfo(asker.bus, { service: name, gatherMs: 2_000, max: 1 }))[0];

test('A replica advertises its maximum number of concurrent calls, and the calls under way by endpoint', async () => {
  const gate = Promise.withResolvers<void>();
  const name = 'waiting';
  const waiting = defineProcessor({ ...passing(name), create: () => ({ processInput: () => gate.promise }) });
  const running = await startService(processorService({ name, version: '1.0.0', processors: [waiting] }), {
    ...env(),
    MAX_CALLS: '7',
    LOG_LEVEL: 'silent',
  });
  const stats = async () => {
    const answer = await asker.bus.nc.request(`$SRV.STATS.${name}`, '', { timeout: 2_000 });
    return srvStatsSchema.parse(answer.json());
  };
  expect((await findInfo(name))?.metadata).toEqual({ [METADATA_KEY]: '{"maxCalls":7}' });
  const asked = askStage(asker.bus, name, stageCall('processInput', [callEntry(name)]));
  await eventually(async () => JSON.stringify((await stats()).endpoints[0]?.data) === '{"calls":1,"maxCalls":7}');
  gate.resolve();
  await asked;
  expect((await stats()).endpoints[0]?.data).toEqual({ calls: 0, maxCalls: 7 });
  await running.stop();
});

test('A processor service serves processors, tools and public verbs, and discovery lists them all', async () => {
  const info = await findInfo('everything');
  expect(info?.endpoints.map(({ name }) => name).toSorted()).toEqual([
    'api-threads-list',
    'processInput-first',
    'processInput-older',
    'tool-greet',
  ]);
  expect((await callTool(asker.bus, 'greet', {}, {}, 'everything')).answer).toMatchObject({ ok: { result: 'hello' } });
  expect(
    await askApi(asker.bus, 'threads-list', { caller: 'operator', tenant: 'acme' }, { resourceId: 'ada' }),
  ).toMatchObject({
    total: 1,
  });
});

test('Discovery shows the version of the service, and for a processor its own version or that of its service', async () => {
  const info = await findInfo('everything');
  expect([info?.version, info?.description]).toEqual(['2.1.0', 'The processor first.']);
  const versions = info?.endpoints.flatMap(({ metadata }) => {
    const read = endpointMetadataSchema.parse(JSON.parse(metadata?.[METADATA_KEY] ?? ''));
    return read.kind === 'processor' ? [`${read.descriptor.id} ${read.descriptor.version}`] : [];
  });
  expect(versions).toEqual(['first 2.1.0', 'older 0.3.0']);
});

test('A service with a version that is not semantic does not start, because clients would ignore it', async () => {
  const unversioned = processorService({ name: 'unversioned', version: 'latest', processors: [passing('one')] });
  await expect(startService(unversioned, env())).rejects.toMatchObject({ code: 'config-invalid', path: 'version' });
});

test('An unhandled rejection in a processor is logged and does not end its replica', async () => {
  const file = fileURLToPath(new URL('./testing/careless-main.ts', import.meta.url));
  const env = { PATH: process.env['PATH'], NATS_URL: nats.url };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let log = '';
  child.stdout.on('data', (data) => (log += String(data)));
  const call = stageCall('processInput', [callEntry('careless')]);
  const ask = () => askStage(asker.bus, 'careless', call);
  await eventually(ask, { timeoutMs: 20_000 });
  await eventually(() => log.includes('let go of'));
  expect(await ask()).toEqual([{ type: 'continue' }]);
  child.kill();
  expect((await exited)[0]).toBe(0);
});

describe('the selection of processors and tools', () => {
  const alone = (more: Record<string, string>, definition: Parameters<typeof startService>[0] = everything) =>
    startService(definition, { ...env(), LOG_LEVEL: 'silent', ...more });

  test('PROCESSORS and TOOLS select the served processors and tools', async () => {
    await service.running.stop();
    const some = await alone({ PROCESSORS: ' older ', TOOLS: 'greet', GREETING: 'hi' });
    const info = await findInfo('everything');
    expect(info?.endpoints.map(({ name }) => name)).toEqual(['processInput-older', 'tool-greet', 'api-threads-list']);
    expect((await callTool(asker.bus, 'greet', {}, {}, 'everything')).answer).toMatchObject({ ok: { result: 'hi' } });
    await some.stop();
    expect(released).toEqual(['own', 'own']);
  });

  test('The start fails for an unknown name in PROCESSORS or TOOLS and lists the known names', async () => {
    await expect(alone({ PROCESSORS: 'ghost' })).rejects.toMatchObject({ code: 'processor-unknown' });
    await expect(alone({ TOOLS: 'ghost' })).rejects.toMatchObject({ code: 'tool-unknown' });
  });

  test('The start fails for two processors of one id and for two tools of one name', async () => {
    const doubled = { name: 'doubled', version: '1.0.0' };
    const processors = processorService({ ...doubled, processors: [passing('twin'), passing('twin')] });
    const tools = processorService({
      ...doubled,
      tools: [testTool('twin', async () => 1), testTool('twin', async () => 2)],
    });
    for (const definition of [processors, tools])
      await expect(alone({}, definition)).rejects.toMatchObject({ code: 'processor-invalid', path: 'twin' });
  });

  test('A variable for another kind of service is ignored', async () => {
    const guards = processorService({ name: 'guards', version: '1.0.0', processors: [passing('guard')] });
    const running = await alone({ TOOLS: 'clock' }, guards);
    expect((await findInfo('guards'))?.endpoints).toHaveLength(1);
    await running.stop();
  });
});
