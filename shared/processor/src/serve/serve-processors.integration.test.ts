import {
  METADATA_KEY,
  PROCESSORS_HEADER,
  endpointMetadataSchema,
  makeCallHeaders,
  stageReplySchema,
  type Chunk,
  type StageCall,
  type StageReply,
} from '@millrace/contracts';
import { gatherInfo, makeHeaders, publish, request } from '@millrace/bus';
import { callEntry, eventually, stageCall, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { defineWithMethods } from '../testing/one-method.ts';
import type { ProcessInputArgs } from '../processor/processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const SERVICE = 'test-processors';
const input = (id: string, processInput: (args: ProcessInputArgs) => Promise<void> | void): ProcessorDefinition => ({
  ...defineWithMethods({ processInput }),
  id,
});

/** Signals of running calls, and the functions that release them. */
const working = new Map<string, { signal: AbortSignal; finish: () => void }>();
const hosts = useProcessors(nats, [
  input('plain', () => undefined),
  input('writing', async ({ writer }) => {
    for (const data of [1, 2]) await writer.custom({ type: 'data-progress', data });
  }),
  input('large', async ({ writer, abort }) => {
    const rejected = await writer.custom({ type: 'data-large', data: 'x'.repeat(9_000_000) }).then(
      () => 'sent',
      (error: Error) => error.message,
    );
    await writer.custom({ type: 'data-small' });
    abort(rejected);
  }),
  input('waiting', async ({ abortSignal, run }) => {
    const done = Promise.withResolvers<void>();
    working.set(run.runId, { signal: abortSignal, finish: done.resolve });
    abortSignal.addEventListener('abort', () => done.resolve());
    await done.promise;
  }),
  { ...defineWithMethods({ processOutputStream: ({ part }) => part }), id: 'stream' },
]);

type Asked = { reply: StageReply | undefined; code: string | undefined; progress: Chunk[] };
async function ask(call: StageCall, replica?: string): Promise<Asked> {
  const progress: Chunk[] = [];
  const answer = await request(asker.bus, {
    subject: asker.bus.subjects.stage(
      call.stage,
      { service: SERVICE, processor: call.entries[0]?.processor ?? '' },
      replica,
    ),
    headers: makeCallHeaders(call.entries),
    payload: call,
    reply: stageReplySchema,
    timeoutMs: call.timeoutMs,
    readProgress: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => 'progress' in reply && progress.push(...reply.progress),
  });
  return 'ok' in answer
    ? { reply: answer.ok, code: undefined, progress }
    : { reply: undefined, code: answer.error.code, progress };
}
const inputCall = (processor: string, runId = 'run-1'): StageCall => {
  const call = stageCall('processInput', [callEntry(processor)]);
  return { ...call, run: { ...call.run, runId } };
};

test('A call is answered with verdicts, durations and the replica', async () => {
  expect((await ask(inputCall('plain'))).reply).toEqual({
    sequence: 0,
    verdicts: [{ type: 'continue' }],
    ms: [expect.any(Number)],
    replica: hosts.running.replica,
  });
});

test('A list is answered up to the first processor that this replica does not serve', async () => {
  const entries = ['plain', 'plain', 'elsewhere', 'plain'].map((id, at) => callEntry(id, {}, { entry: `e${at}` }));
  const { reply } = await ask(stageCall('processInput', entries));
  expect(reply).toMatchObject({ verdicts: [{ type: 'continue' }, { type: 'continue' }] });
});

describe('chunks of a processor’s writer', () => {
  test('Custom chunks arrive before the answer, in order', async () => {
    const { reply, progress } = await ask(inputCall('writing'));
    expect(progress).toMatchObject([
      { type: 'data-progress', data: 1, runId: 'run-1', from: 'AGENT' },
      { type: 'data-progress', data: 2 },
    ]);
    expect(reply).toMatchObject({ sequence: 2, verdicts: [{ type: 'continue' }] });
  });

  test('An oversized custom chunk is rejected, and later ones still arrive', async () => {
    const { reply, progress } = await ask(inputCall('large'));
    expect(progress).toMatchObject([{ type: 'data-small' }]);
    expect(reply).toMatchObject({
      verdicts: [{ type: 'abort', reason: expect.stringContaining('exceeds the limit') }],
    });
  });
});

describe('rejection by a replica', () => {
  test('A malformed call is rejected with the path', async () => {
    const answer = await asker.bus.nc.request(
      asker.bus.subjects.stage('processInput', { service: SERVICE, processor: 'plain' }),
      '{"callId":"x"}',
    );
    expect(answer.json()).toMatchObject({ error: { code: 'message-invalid', path: 'run' } });
  });

  test('A replica has no subject of its own for a processor that it does not serve', async () => {
    expect((await ask(inputCall('elsewhere'), hosts.running.replica)).code).toBe('nobody-there');
    const plain = inputCall('plain');
    const renamed = { ...plain, entries: [callEntry('elsewhere')] };
    const subject = asker.bus.subjects.stage('processInput', { service: SERVICE, processor: 'plain' });
    const answered = await asker.bus.nc.request(subject, JSON.stringify(renamed));
    expect(answered.json()).toMatchObject({ error: { code: 'message-invalid', path: 'entries[0].processor' } });
  });

  test.each([
    ['has none', undefined],
    ['omits an entry', 'plain'],
    ['has another order', 'writing,plain'],
  ])('A merged call is rejected if its header %s', async (_what, header) => {
    const call = stageCall('processInput', [callEntry('plain'), callEntry('writing')]);
    const subject = asker.bus.subjects.stage('processInput', { service: SERVICE, processor: 'plain' });
    const headers = makeHeaders(header === undefined ? {} : { [PROCESSORS_HEADER]: header });
    const answered = await asker.bus.nc.request(subject, JSON.stringify(call), { headers, timeout: 5_000 });
    expect(answered.json()).toMatchObject({ error: { code: 'message-invalid', path: PROCESSORS_HEADER } });
  });

  test('A session of several entries is rejected without the header', async () => {
    const entries = [callEntry('stream'), callEntry('stream', {}, { entry: 'again' })];
    const { callId, ...call } = stageCall('processOutputStream', entries);
    const open = { ...call, callId, session: 's-1', orchestrator: asker.bus.id };
    const subject = asker.bus.subjects.stage('processOutputStream', { service: SERVICE, processor: 'stream' });
    const answered = await asker.bus.nc.request(subject, JSON.stringify(open));
    expect(answered.json()).toMatchObject({ error: { code: 'message-invalid', path: PROCESSORS_HEADER } });
  });

  test('A call to an unserved processor has no responders', async () => {
    expect((await ask(inputCall('nobody'))).code).toBe('nobody-there');
  });

  test('Unknown names in PROCESSORS are rejected with the known names', async () => {
    await expect(hosts.start({ PROCESSORS: 'plain,ghost' })).rejects.toMatchObject({
      code: 'processor-unknown',
      message: expect.stringContaining('ghost'),
      remedy: expect.stringContaining('plain'),
    });
  });
});

describe('the abort signal of a stage call', () => {
  test('The abort signal fires for the cancelled call only', async () => {
    const [first, second] = [inputCall('waiting', 'run-a'), inputCall('waiting', 'run-b')];
    const answers = [ask(first), ask(second)];
    await eventually(() => working.has('run-a') && working.has('run-b'));
    publish(asker.bus, asker.bus.subjects.cancelCalls('test-processors'), { callIds: [first.callId] });
    await answers[0];
    expect(working.get('run-a')?.signal.aborted).toBe(true);
    expect(working.get('run-b')?.signal.aborted).toBe(false);
    working.get('run-b')?.finish();
    await answers[1];
  });

  test("The abort signal fires at the call's timeout", async () => {
    const { code } = await ask({ ...inputCall('waiting', 'run-c'), timeoutMs: 50 });
    expect(code ?? 'answered').toMatch(/timeout|answered/);
    await eventually(() => working.get('run-c')?.signal.aborted);
    expect(working.get('run-c')?.signal.reason).toMatchObject({ message: expect.stringContaining('50 ms') });
  });
});

describe('replicas of a processor', () => {
  test('Replicas share the calls by queue group, and each has a subject of its own', async () => {
    const second = await hosts.start();
    const replicas = new Set<string>();
    for (let calls = 0; calls < 200 && replicas.size < 2; calls++) {
      const { reply } = await ask(inputCall('plain'));
      if (reply && 'verdicts' in reply) replicas.add(reply.replica);
    }
    expect(replicas).toEqual(new Set([hosts.running.replica, second.replica]));
    expect((await ask(inputCall('plain'), second.replica)).reply).toMatchObject({ replica: second.replica });
    await second.stop();
    expect((await ask(inputCall('plain'), second.replica)).code).toBe('nobody-there');
  });

  test('Replicas with a selection receive calls for those processors only', async () => {
    const some = await hosts.start({ PROCESSORS: 'writing' });
    for (let calls = 0; calls < 20; calls++) {
      expect((await ask(inputCall('plain'))).reply).toMatchObject({ replica: hosts.running.replica });
    }
    expect((await ask(inputCall('plain'), some.replica)).code).toBe('nobody-there');
    await some.stop();
  });

  test('Stopping replicas finish their calls, accept no new ones, and leave discovery', async () => {
    const leaving = await hosts.start({ PROCESSORS: 'waiting,plain' });
    const call = ask(inputCall('waiting', 'run-d'), leaving.replica);
    const { finish } = await eventually(() => working.get('run-d'));
    const stopped = leaving.stop();
    await eventually(async () => (await ask(inputCall('plain'), leaving.replica)).code === 'nobody-there');
    finish();
    expect((await call).reply).toMatchObject({ verdicts: [{ type: 'continue' }], replica: leaving.replica });
    await stopped;
    const infos = await gatherInfo(asker.bus, { service: 'test-processors', gatherMs: 2_000, max: 1 });
    expect(infos.map(({ id }) => id)).toEqual([hosts.running.replica]);
  });
});

test('Discovery lists every stage of every processor, with its descriptor', async () => {
  const [info] = await gatherInfo(asker.bus, { service: 'test-processors', gatherMs: 2_000, max: 1 });
  const listed = (info?.endpoints ?? []).map(({ name, subject, queue_group, metadata }) => ({
    name,
    subject,
    queue: queue_group,
    metadata: endpointMetadataSchema.parse(JSON.parse(metadata?.[METADATA_KEY] ?? 'null')),
  }));
  expect(listed.map(({ name }) => name).toSorted()).toEqual([
    'processInput-large',
    'processInput-plain',
    'processInput-waiting',
    'processInput-writing',
    'processOutputStream-stream',
  ]);
  expect(listed.find(({ queue }) => queue === 'stream')).toMatchObject({
    subject: 'mr.v1.stage.processOutputStream.test-processors.stream',
    metadata: { kind: 'processor', stage: 'processOutputStream', descriptor: { id: 'stream', lists: ['output'] } },
  });
});

test('A long call reports its replica and its verdicts so far in numbered messages', async () => {
  const heard: StageReply[] = [];
  const call = { ...inputCall('plain', 'run-long'), entries: [callEntry('plain'), callEntry('waiting')] };
  const asking = request(asker.bus, {
    subject: asker.bus.subjects.stage(call.stage, { service: SERVICE, processor: 'plain' }, hosts.running.replica),
    headers: makeCallHeaders(call.entries),
    payload: call,
    reply: stageReplySchema,
    timeoutMs: 10_000,
    readProgress: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => void heard.push(reply),
  });
  const { replica } = hosts.running;
  const judged = { verdicts: [{ type: 'continue' }], ms: [expect.any(Number)] };
  await eventually(() => heard.length >= 2);
  expect(heard.slice(0, 2)).toEqual([
    { sequence: 0, progress: [], replica, judged },
    { sequence: 1, progress: [], replica },
  ]);
  working.get('run-long')?.finish();
  const answer = await asking;
  expect(answer).toMatchObject({
    ok: { sequence: heard.length, verdicts: [{ type: 'continue' }, { type: 'continue' }] },
  });
});
