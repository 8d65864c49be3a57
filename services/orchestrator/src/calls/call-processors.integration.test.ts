// Policy falls on one entry: a merged call that is not answered, or in which one member fails, costs the others nothing.
import {
  cancelCallSchema,
  stageCallSchema,
  buildTextMessage,
  type PlanEntry,
  type StageCall,
  type StageInput,
} from '@millrace/contracts';
import { listen, type Bus, type ServeContext } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { failure, goOn, scriptReplica, type Script } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { serveInTest } from '../testing/test-servings.ts';
import type { Discovery } from '../peers/discovery.ts';
import { callProcessors } from './call-processors.ts';
import { createFold, foldVerdict, type JudgedEntry } from './verdict-fold.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stage = 'processInput';

async function replica(processors: string[], script: Script) {
  const bus = await connection.connect({ name: 'guards' });
  const made = scriptReplica(bus, stage, processors, script);
  await bus.nc.flush();
  return { ...made, bus };
}
const entries = (...names: string[]): PlanEntry[] => names.map((name) => planEntry(name, { timeoutMs: 150 }));
/** @param answering the replicas that answer a ping, in turn */
function testRun(...answering: (Bus | undefined)[]) {
  const left = [...answering];
  const asked: (string | undefined)[] = [];
  const discovery: Partial<Discovery> = {
    isServedTogether: () => true,
    findMissingReplicas: async () => 'none',
    findAnsweringReplica: async (_served: object, _signal: AbortSignal, failed?: string) => {
      asked.push(failed);
      return left.shift()?.id;
    },
  };
  const made = createTestRun({ bus: connection.bus, discovery });
  return { ...made, asked };
}
const input: StageInput = { retryCount: 0, stepNumber: 0, conversation: { entries: [], system: [] } };
/** As a stage does it: up to the first verdict that stops it. */
async function call({ run }: Pick<TestRun, 'run'>, group: PlanEntry[]): Promise<JudgedEntry[]> {
  const all: JudgedEntry[] = [];
  let fold = createFold(input);
  for await (const judged of callProcessors(run, group, { stage, input, receiveData: () => undefined })) {
    all.push(judged);
    fold = foldVerdict(fold, judged);
    if (fold.stopped) break;
  }
  return all;
}
const describeShown = (judged: Awaited<ReturnType<typeof call>>) =>
  judged.map(({ entry, verdict, attempts }) => `${entry.entry} ${verdict.type} ${attempts}`);

describe('a merged call', () => {
  test('is one request, and a verdict for each', async () => {
    const { calls } = await replica(['a', 'b'], ({ entries: asked }) => asked.map(() => goOn));
    expect(describeShown(await call(testRun(), entries('a', 'b')))).toEqual(['a continue 1', 'b continue 1']);
    expect(calls).toEqual(['a+b']);
  });

  test('may be answered for its head alone: the rest is asked for again', async () => {
    const { calls } = await replica(['a', 'b'], ({ entries: asked }) =>
      asked[0]?.entry === 'a' ? [goOn] : [goOn, goOn],
    );
    const judged = await call(testRun(), entries('a', 'b', 'c'));
    expect(describeShown(judged)).toEqual(['a continue 1', 'b continue 1', 'c continue 1']);
    expect(calls).toEqual(['a+b+c', 'b+c']);
  });

  test('has the sum of its members’ time, and their state', async () => {
    const { received } = await replica(['a'], () => [goOn]);
    const made = testRun();
    made.run.dispatch({ action: 'states-changed', states: { b: { n: 2 } } });
    await call(made, entries('a', 'b'));
    expect(received[0]).toMatchObject({ timeoutMs: 300, entries: [{ state: {} }, { state: { n: 2 } }] });
  });

  test('without an answer is repeated one by one, and each entry sees the changes before it', async () => {
    const message = buildTextMessage('m2', 'user', 'added');
    const script: Script = ({ entries: asked }) => {
      if (asked.length > 1) return 'silence';
      const add = { op: 'add' as const, source: 'context' as const, message };
      return [asked[0]?.entry === 'a' ? { type: 'continue', changes: { ops: [add] } } : goOn];
    };
    const { calls, received } = await replica(['a', 'b'], script);
    const group = [planEntry('a', { timeoutMs: 100 }), planEntry('b', { timeoutMs: 100, reads: ['context'] })];
    expect(describeShown(await call(testRun(), group))).toEqual(['a continue 1', 'b continue 1']);
    expect(calls).toEqual(['a+b', 'a', 'b']);
    expect(received[2]?.input.conversation?.entries).toMatchObject([{ message: { id: 'm2' } }]);
  });

  test('in which one member hangs fails that one alone', async () => {
    await replica(['a', 'b'], ({ entries: asked }) => (asked.at(-1)?.entry === 'b' ? 'silence' : [goOn]));
    const judged = await call(testRun(), entries('a', 'b'));
    expect(describeShown(judged)).toEqual(['a continue 1', 'b failure 1']);
    expect(judged[1]?.verdict).toMatchObject({ code: 'processor-timeout' });
  });

  test('in which one member fails retries that member elsewhere with its remaining attempts', async () => {
    const broken = await replica(['a', 'b'], () => [goOn, failure()]);
    const own = await replica(['b'], () => [goOn]);
    const made = testRun(own.bus);
    expect(describeShown(await call(made, entries('a', 'b')))).toEqual(['a continue 1', 'b continue 2']);
    expect(made.asked).toEqual([broken.bus.id]);
    expect([broken.calls, own.calls]).toEqual([['a+b'], ['b']]);
  });

  test('is not retried after a permanent failure, nor more often than the policy allows', async () => {
    const { calls, bus } = await replica(['a'], () => [failure({ retryable: false })]);
    expect(describeShown(await call(testRun(bus), entries('a', 'b')))).toEqual(['a failure 1']);
    expect(calls).toEqual(['a+b']);
    const once = [planEntry('a', { attempts: 1 }), planEntry('b')];
    expect(describeShown(await call(testRun(bus), once))).toEqual(['a failure 1']);
  });

  test('ends with the first verdict that stops', async () => {
    await replica(['a'], () => [{ type: 'abort', reason: 'no' }]);
    expect(describeShown(await call(testRun(), entries('a', 'b')))).toEqual(['a abort 1']);
  });
});

describe('one entry', () => {
  test('is tried again on the replica that answered a ping, not on any of the group', async () => {
    const group = await Promise.all([1, 2, 3].map(() => replica(['a'], () => 'silence')));
    const [, chosen] = group;
    expect(describeShown(await call(testRun(chosen?.bus), entries('a')))).toEqual(['a failure 2']);
    expect(chosen?.calls.length).toBeGreaterThan(0);
    expect(group.flatMap(({ calls }) => calls)).toEqual(['a', 'a']);
  });

  test('is not retried if no replica answers a ping', async () => {
    const { calls } = await replica(['a'], () => 'silence');
    expect(describeShown(await call(testRun(undefined), entries('a')))).toEqual(['a failure 1']);
    expect(calls).toEqual(['a']);
  });

  test('without a replica fails by name when its time is up, not before', async () => {
    const started = performance.now();
    const [judged] = await call(testRun(), [planEntry('a', { timeoutMs: 400 })]);
    expect(judged?.verdict).toMatchObject({ code: 'processor-not-there', message: expect.stringContaining('"a"') });
    expect(judged?.attempts).toBe(1);
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  test('with a service that returns within its time is judged by it', async () => {
    const judging = call(testRun(), [planEntry('a', { timeoutMs: 10_000 })]);
    const { calls } = await replica(['a'], () => [goOn]);
    expect(describeShown(await judging)).toEqual(['a continue 1']);
    expect(calls).toEqual(['a']);
  });

  test.each([
    ['a code outside the registry', { code: 'my-own-code' }, { message: /my-own-code: broken/ }],
    ['a message of two megabytes', { message: 'x'.repeat(2_000_000) }, { message: /^x+ \[cut: it had 2000000/ }],
  ])('that fails with %s fails within the bounds of the wire', async (_what, said, shownAs) => {
    await replica(['a'], () => [failure({ retryable: false, ...said })]);
    const [judged] = await call(testRun(), [planEntry('a', { timeoutMs: 10_000 })]);
    if (judged?.verdict.type !== 'failure') throw new Error('it was to fail');
    expect(judged.verdict.code).toBe('processor-failed');
    expect(shownAs.message.test(judged.verdict.message)).toBe(true);
    expect(judged.verdict.message.length).toBeLessThan(9_000);
  });

  test('that returns two verdicts is rejected', async () => {
    await replica(['a'], () => [goOn, goOn]);
    const [judged] = await call(testRun(), entries('a'));
    expect(judged?.verdict).toMatchObject({
      code: 'processor-verdict-refused',
      message: expect.stringContaining('2 verdicts'),
    });
  });

  test.each([
    [140, 'processor-verdict-refused'],
    [10_000, 'message-invalid'],
  ])('with a state nested %i deep is rejected at once', async (depth, code) => {
    const bus = await connection.connect({ name: 'guards' });
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const subscription = bus.nc.subscribe(bus.subjects.stage(stage, { service: 'guards', processor: 'a' }), {
      callback: (_error, message) =>
        void message.respond(
          `{"sequence":0,"replica":"r1","ms":[1],"verdicts":[{"type":"continue","state":{"deep":${deep}}}]}`,
        ),
    });
    await bus.nc.flush();
    const [judged] = await call(testRun(), entries('a'));
    expect(judged?.verdict).toMatchObject({
      code,
      message: expect.stringContaining('nested'),
    });
    subscription.unsubscribe();
  });

  test('with an answer that counts more messages than arrived has lost some', async () => {
    const bus = await connection.connect({ name: 'guards' });
    const answer = { sequence: 2, verdicts: [goOn], ms: [1], replica: bus.id };
    const handle = async () => answer;
    serveInTest(bus, {
      subject: bus.subjects.stage(stage, { service: 'guards', processor: 'a' }),
      request: stageCallSchema,
      handle,
    });
    await bus.nc.flush();
    const [judged] = await call(testRun(), [planEntry('a', { attempts: 1 })]);
    expect(judged?.verdict).toMatchObject({
      code: 'session-lost',
      message: expect.stringContaining('number 2, after 0'),
    });
  });

  test('fails if its answer holds verdicts and an error', async () => {
    const bus = await connection.connect({ name: 'guards' });
    const error = { code: 'store-unavailable', message: 'The store is away.' };
    const answer = { sequence: 0, verdicts: [goOn], ms: [1], replica: bus.id, error };
    const handle = async () => answer;
    serveInTest(bus, {
      subject: bus.subjects.stage(stage, { service: 'guards', processor: 'a' }),
      request: stageCallSchema,
      handle,
    });
    await bus.nc.flush();
    const [judged] = await call(testRun(), [planEntry('a', { attempts: 1 })]);
    expect(judged?.verdict).toMatchObject({ type: 'failure', code: 'store-unavailable' });
  });

  test('fails if its replica reports more verdicts than it was asked for while it works', async () => {
    const bus = await connection.connect({ name: 'guards' });
    const judgedTwice = { verdicts: [goOn, goOn], ms: [1, 1] };
    const handle = async (_call: StageCall, { respond }: ServeContext) => {
      respond({ sequence: 0, progress: [], replica: bus.id, judged: judgedTwice });
      return { sequence: 1, verdicts: [goOn], ms: [1], replica: bus.id };
    };
    serveInTest(bus, {
      subject: bus.subjects.stage(stage, { service: 'guards', processor: 'a' }),
      request: stageCallSchema,
      handle,
    });
    await bus.nc.flush();
    const [judged] = await call(testRun(), [planEntry('a', { attempts: 1 })]);
    expect(judged?.verdict).toMatchObject({
      code: 'processor-verdict-refused',
      message: expect.stringContaining('2 verdicts for 1 entries'),
    });
  });

  test('without a verdict has failed', async () => {
    await replica(['a'], () => []);
    const [judged] = await call(testRun(), entries('a'));
    expect(judged?.verdict).toMatchObject({ type: 'failure', code: 'processor-not-there' });
  });

  test('with a call that no message can hold fails by name and is not retried', async () => {
    const large = { ...input, text: 'x'.repeat(connection.bus.readMaxPayload()) };
    const made = testRun(connection.bus);
    const ask = { stage, input: large, receiveData: () => undefined } as const;
    const [judged] = await Array.fromAsync(callProcessors(made.run, entries('a'), ask));
    expect(judged).toMatchObject({ attempts: 1, verdict: { code: 'message-too-large', retryable: false } });
    expect(made.asked).toEqual([]);
  });

  test('that is abandoned is cancelled at its replica: in time, and when the run is stopped', async () => {
    const given: string[] = [];
    const subject = connection.bus.subjects.cancelCalls('guards');
    const listening = listen(connection.bus, subject, cancelCallSchema, ({ callIds }) => given.push(...callIds));
    const { received } = await replica(['a'], () => 'silence');
    await call(testRun(), entries('a'));
    const made = testRun();
    const calling = call(made, entries('a'));
    await eventually(() => received.length === 2);
    made.stop('cancelled');
    expect(describeShown(await calling)).toEqual(['a failure 1']);
    await eventually(() => given.length === 2);
    expect(given).toEqual(received.map(({ callId }) => callId));
    listening.stop();
  });
});
