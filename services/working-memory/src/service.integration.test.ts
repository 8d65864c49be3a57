// Runs the service over NATS with its store and a model over HTTP, and sends the requests of the orchestrator and the
// client.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askApi, gatherInfo } from '@millrace/bus';
import type { Stage } from '@millrace/contracts';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { startService } from '@millrace/service';
import {
  aRun,
  askStage,
  callEntry,
  buildConversation,
  stageCall,
  useBus,
  useNats,
  useRedis,
  useService,
} from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workingMemoryService } from './service.ts';

const nats = useNats();
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  provider.answer(({ body }) => ({ name: /I am (\w+)/.exec(JSON.stringify(body))?.[1] ?? null }));
});
afterAll(() => provider.close());
const folder = mkdtempSync(join(tmpdir(), 'millrace-working-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('working-memory on SQLite', () => {
  describeService('sqlite', () => ({ SQLITE_PATH: join(folder, 'memory.db') }));
});

describe('working-memory on Redis', () => {
  const redis = useRedis();
  // Without Redis the tests are skipped, but the hook that starts the service runs all the same.
  describeService('redis', () => (redis.available ? { REDIS_URL: redis.url } : { SQLITE_PATH: ':memory:' }));
});

function describeService(name: string, env: () => Record<string, string>): void {
  const prefix = `test.${name}`;
  const tests = useBus(nats, 'tests', { prefix });
  const common = () => ({ NATS_URL: nats.url, MILLRACE_PREFIX: prefix, OPENAI_BASE_URL: provider.baseUrl });
  useService(workingMemoryService, () => ({ ...common(), ...env() }));

  async function callStage(stage: Stage, runId: string, said: string) {
    const conversation = buildConversation({ input: [said] });
    const memory = callEntry('working-memory', { template: 'Name: {{name}}' }, { entry: 'memory' });
    const call = stageCall(stage, [memory], { answered: true, conversation }, aRun({ runId }));
    return askStage(tests.bus, 'working-memory', call);
  }

  test('working-memory shows in the next run the facts of the previous one, and memory-get returns them', async () => {
    const { bus } = tests;
    expect(
      await askApi(bus, 'memory-get', { caller: 'operator', tenant: 'default' }, { resourceId: 'ada' }),
    ).toMatchObject({
      memory: null,
    });
    expect(await callStage('processInput', 'run-1', 'I am Ada.')).toEqual([{ type: 'continue' }]);
    expect(await callStage('processOutputResult', 'run-1', 'I am Ada.')).toMatchObject([
      { type: 'continue', usage: { modelCalls: 1 } },
    ]);

    const system = {
      op: 'system',
      tag: 'working-memory:memory',
      contents: [expect.stringContaining('Name: Ada')],
      // The messages of these calls have no labels.
      labels: [{ origin: 'processor:memory', trust: 'untrusted' }],
    };
    expect(await callStage('processInput', 'run-2', 'Who am I?')).toEqual([
      { type: 'continue', changes: { ops: [system] } },
    ]);
    expect(await askApi(bus, 'memory-get', { caller: 'operator', tenant: 'default' }, { resourceId: 'ada' })).toEqual({
      memory: { name: 'Ada' },
      version: 1,
    });
    expect(
      await askApi(bus, 'memory-get', { caller: 'operator', tenant: 'other' }, { resourceId: 'ada' }),
    ).toMatchObject({ memory: null });
  });

  test('discovery lists working-memory with its stages and its verb', async () => {
    const infos = await gatherInfo(tests.bus, { service: 'working-memory', gatherMs: 2_000, max: 1 });
    const subjects = infos.flatMap((info) => info.endpoints.map((endpoint) => endpoint.subject));
    expect(subjects.toSorted((a, b) => a.localeCompare(b))).toEqual([
      `${prefix}.api.memory-get.*.*`,
      `${prefix}.api.memory-set.*.*`,
      `${prefix}.stage.processInput.working-memory.working-memory`,
      `${prefix}.stage.processOutputResult.working-memory.working-memory`,
    ]);
  });
}

describe('starting working-memory', () => {
  const start = (env: Record<string, string>) =>
    startService(workingMemoryService, { NATS_URL: nats.url, LOG_LEVEL: 'silent', SQLITE_PATH: ':memory:', ...env });

  test('the service rejects the embedded store if the configuration requires a shared one', async () => {
    await expect(start({ REQUIRE_SHARED_STORE: 'true' })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('REDIS_URL'),
    });
  });

  test('the service reports all errors in its environment together', async () => {
    await expect(start({ REDIS_URL: 'localhost', MODEL: 'gpt-5-mini' })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/REDIS_URL.*MODEL/s),
    });
  });

  test('the service rejects unknown names in PROCESSORS', async () => {
    await expect(start({ PROCESSORS: 'pii' })).rejects.toMatchObject({ code: 'processor-unknown' });
  });
});
