// Runs the service over NATS with its store, and sends the requests of the orchestrator and the client.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askApi, gatherInfo, publish } from '@millrace/bus';
import type { ConversationEntry, MessageOp, Stage, StageCall } from '@millrace/contracts';
import { startService } from '@millrace/service';
import { askStage, callEntry, stageCall, useBus, useNats, useRedis, useService } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { messageHistoryService } from './service.ts';
import { RUN } from './testing/call-history.ts';
import { listIds, message, newTenant } from './testing/history-fixtures.ts';

const nats = useNats();
const folder = mkdtempSync(join(tmpdir(), 'millrace-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('message-history on SQLite', () => {
  describeService('sqlite', () => ({ SQLITE_PATH: join(folder, 'history.db') }));
});

describe('message-history on Redis', () => {
  const redis = useRedis();
  // Without Redis the tests are skipped, but the hook that starts the service runs all the same.
  const embedded = { SQLITE_PATH: ':memory:' };
  describeService('redis', () => (redis.available ? { REDIS_URL: redis.url } : embedded));
});

function describeService(store: string, env: () => Record<string, string>): void {
  const prefix = `test.${store}`;
  const tests = useBus(nats, 'tests', { prefix });
  useService(messageHistoryService, () => ({ NATS_URL: nats.url, MILLRACE_PREFIX: prefix, ...env() }));

  const makeStageCall = (
    stage: Stage,
    run: Partial<typeof RUN>,
    messages: { input: string[]; response?: string[] },
  ): StageCall => {
    const { input, response = [] } = messages;
    const entries: ConversationEntry[] = [
      ...input.map((id) => ({ source: 'input' as const, message: message(id) })),
      ...response.map((id) => ({ source: 'response' as const, message: message(id, id, 'assistant') })),
    ];
    const conversation = { entries, system: [] };
    return stageCall(stage, [callEntry('message-history')], { answered: true, conversation }, { ...RUN, ...run });
  };
  const callStage = async (...given: Parameters<typeof makeStageCall>) =>
    (await askStage(tests.bus, 'message-history', makeStageCall(...given)))[0];
  const addedIds = (ops: MessageOp[] = []) =>
    ops.flatMap((op) => (op.op === 'add' ? [`${op.source} ${op.message.id}`] : []));

  test('message-history recalls in the next run the messages that it stored for the previous run', async () => {
    const tenant = newTenant();
    const first = { tenant, runId: 'run-1' };
    expect(await callStage('processInput', first, { input: ['u1'] })).toEqual({ type: 'continue' });
    const saved = await callStage('processOutputResult', first, { input: ['u1'], response: ['a1'] });
    expect(saved).toEqual({ type: 'continue' });

    const recalled = await callStage('processInput', { tenant, runId: 'run-2' }, { input: ['u2'] });
    expect(recalled?.type).toBe('continue');
    const ops = recalled && 'changes' in recalled ? recalled.changes?.ops : [];
    expect(addedIds(ops)).toEqual(['remembered u1', 'remembered a1']);
  });

  test('message-history stores nothing for a save that is cancelled with its request', async () => {
    const tenant = newTenant();
    const { bus } = tests;
    const call = makeStageCall('processOutputResult', { tenant }, { input: ['u1'], response: ['a1'] });
    const asked = askStage(bus, 'message-history', { ...call, callId: 'given-up' });
    publish(bus, bus.subjects.cancelCalls('message-history'), { callIds: ['given-up'] });
    await asked.catch(() => undefined);
    await expect(
      askApi(bus, 'threads-get', { caller: 'operator', tenant }, { threadId: 'thread-1' }),
    ).rejects.toMatchObject({
      code: 'thread-unknown',
    });
  });

  test('the service answers the verbs on threads and messages for the tenant in the subject', async () => {
    const tenant = newTenant();
    await callStage('processOutputResult', { tenant }, { input: ['u1'], response: ['a1'] });
    const { bus } = tests;

    const { threads, total } = await askApi(bus, 'threads-list', { caller: 'operator', tenant }, {});
    expect(total).toBe(1);
    expect(threads).toEqual([
      await askApi(bus, 'threads-get', { caller: 'operator', tenant }, { threadId: 'thread-1' }),
    ]);
    const { messages } = await askApi(bus, 'messages-list', { caller: 'operator', tenant }, { threadId: 'thread-1' });
    expect(listIds(messages)).toEqual(['u1', 'a1']);
    const elsewhere = askApi(
      bus,
      'messages-list',
      { caller: 'operator', tenant: newTenant() },
      { threadId: 'thread-1' },
    );
    await expect(elsewhere).rejects.toMatchObject({ code: 'thread-unknown' });
  });

  test('discovery lists the processor with its policy and its verbs', async () => {
    const infos = await gatherInfo(tests.bus, { service: 'message-history', gatherMs: 2_000, max: 1 });
    const info = infos.find((found) => found.endpoints.some((endpoint) => endpoint.subject.startsWith(`${prefix}.`)));
    const names = info?.endpoints.map((endpoint) => endpoint.name);
    expect(names?.sort()).toEqual([
      'api-messages-delete',
      'api-messages-list',
      'api-messages-save',
      'api-threads-clone',
      'api-threads-create',
      'api-threads-delete',
      'api-threads-get',
      'api-threads-list',
      'api-threads-truncate',
      'api-threads-update',
      'processInput-message-history',
      'processOutputResult-message-history',
    ]);
    expect(JSON.stringify(info)).toContain('\\"onFailure\\":\\"skip\\"');
  });
}

describe('starting message-history', () => {
  test('the service rejects unknown names in PROCESSORS', async () => {
    const env = {
      NATS_URL: nats.url,
      SQLITE_PATH: ':memory:',
      PROCESSORS: 'pii',
      LOG_LEVEL: 'silent',
    };
    await expect(startService(messageHistoryService, env)).rejects.toMatchObject({ code: 'processor-unknown' });
  });
});
