// A run from its command to its acknowledgement, against real streams: whatever happens, it ends once, and says how.
import { agentKey, endsRun, type Chunk } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { textOf, typesOf } from '../testing/chunks.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { subscriptionsOf } from '../testing/subscriptions.ts';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import type { Say } from '../testing/scripted-model.ts';
import { driveRun } from './drive-run.ts';
import { FencedError } from '../state/fenced-error.ts';
import { createRunStop } from '../state/run-stop.ts';
import { askCancel } from '../state/run-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

function driver(...script: Say[]) {
  const made = createDriver(stream, ...script);
  stops.push(made.stop);
  return made;
}

describe('a driven run', () => {
  test('ends with its state, then its last chunk, then the acknowledgement', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    const order: string[] = [];
    await run.drive({
      acknowledge: async () => {
        order.push((await run.head())?.status ?? 'no head', run.chunks().at(-1)?.type ?? 'no chunk');
      },
    });
    expect(order).toEqual(['finished', 'finish']);
    expect(await run.end()).toMatchObject({ result: { text: 'Hello.', status: 'finished' } });
    expect(textOf(run.chunks())).toBe('Hello.');
  });

  test('can be replayed whole the moment it has ended; the last chunk stands where the state says', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await run.drive();
    const head = await run.head();
    if (!head) throw new Error('the run has no head');
    const { batches, complete } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
    expect(complete).toBe(true);
    expect(batches.flatMap(({ chunks }) => chunks)).toEqual(run.chunks());
    expect(head.nextIndex).toBe(run.chunks().length);
    expect((await run.end())?.lastChunk).toEqual(run.chunks().at(-1));
  });

  test('whose overrides its agent has stopped to allow fails by name, and asks nobody', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    const { command } = run.delivery;
    await run.drive({ command: { ...command, request: { ...command.request, inputProcessors: ['pii'] } } });
    expect(await run.end()).toMatchObject({
      result: { status: 'failed', error: { code: 'run-refused', path: 'inputProcessors' } },
    });
    expect(asked).toEqual([]);
  });

  test('of an agent that is not there fails by name', async () => {
    const run = await driver().begin();
    await run.drive();
    expect(typesOf(run.chunks())).toEqual(['start', 'error']);
    expect(await run.end()).toMatchObject({ result: { error: { code: 'agent-unknown' } } });
    expect(run.acknowledged()).toBe(1);
  });

  test('of an agent that no longer fits its schema fails by name, not by a lost owner', async () => {
    const key = agentKey('acme', 'broken');
    await writeEntry(stream.access, connection.bus.names.agents, key, { agent: 1 }, { expectedRevision: 0 });
    const run = await driver().begin({ agent: 'broken' });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'message-invalid' } } });
  });

  test('that was cancelled before it began asks nobody', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await askCancel(stream.access, 'acme', run.runId);
    await run.drive();
    expect(typesOf(run.chunks())).toEqual(['start', 'abort']);
    expect(await run.head()).toMatchObject({ status: 'cancelled' });
    expect(asked).toEqual([]);
  });

  test('that waited in the queue past its deadline fails by name', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply(), deadlineMs: 1 });
    const { command } = run.delivery;
    await run.drive({ command: { ...command, submittedAt: Date.now() - 1_000 } });
    expect(await run.end()).toMatchObject({ result: { error: { code: 'run-deadline-exceeded' } } });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  test('that a bug breaks fails, and the bug is logged', async () => {
    const { begin, apply, deps, errors } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply({}, planOf([planEntry('a'), planEntry('b')])) });
    deps.discovery.together = () => {
      throw new Error('a bug');
    };
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'internal' } } });
    expect(run.acknowledged()).toBe(1);
    expect(errors).toEqual(['a run broke']);
  });
});

test('runs leave nothing behind: no subscription, no timer', async () => {
  const { begin, apply } = driver({ text: 'Hello.' });
  const agent = await apply();
  const runs = [];
  for (let n = 0; n < 21; n++) runs.push(await begin({ agent }));
  const [first, ...others] = runs;
  const held = async () => ({
    subscriptions: await subscriptionsOf(nats.monitorUrl),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  });
  await first?.drive();
  const before = await held();
  for (const run of others) await run.drive();
  const after = await held();
  expect(after.subscriptions).toBe(before.subscriptions);
  // Discovery's own come and go.
  expect(after.timers).toBeLessThanOrEqual(before.timers + 1);
});

describe('a result that no message can hold', () => {
  // Each answer is below its own limit, but the result holds it four times.
  const long = 'x'.repeat(1_000_000);
  const calls = [1, 2].map((n) => ({ toolCallId: `c${n}`, toolName: 'nosuch', input: '{}' }));

  test('fails the run by name instead of being tried for ever', async () => {
    const { begin, apply } = driver({ text: long, calls }, { text: long, calls }, { text: long });
    const run = await begin({ agent: await apply() });
    await run.drive();
    const end = await run.end();
    expect(end).toMatchObject({
      result: {
        status: 'failed',
        error: { code: 'message-too-large', remedy: expect.stringContaining('maxOutputTokens') },
      },
    });
    expect(run.chunks().at(-1)).toEqual(end?.lastChunk);
    expect(run.acknowledged()).toBe(1);
  });

  test('is not made from an answer that is larger than a step may hold: the run fails by name', async () => {
    const { begin, apply } = driver({ text: long + long });
    const run = await begin({ agent: await apply() });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'model-answer-too-large' } } });
    expect(textOf(run.chunks())).toBe('');
  });
});

describe('a redelivered command', () => {
  test('of a run that has ended repeats the last chunk, in its place, and is acknowledged', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await run.drive({ acknowledge: () => Promise.reject(new Error('lost')) }).catch(() => undefined);
    await connection.bus.nc.flush();
    const before = run.live.length;
    await run.drive();
    await eventually(() => run.live.length === before + 1);
    const head = await run.head();
    expect(run.live.at(-1)).toEqual({
      epoch: 1,
      index: (head?.nextIndex ?? 0) - 1,
      chunks: [(await run.end())?.lastChunk],
    });
    expect(run.acknowledged()).toBe(1);
    expect(asked).toHaveLength(1);
  });

  test('of a run that is under way elsewhere takes it over: the owner before says nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const first = driver({ text: 'Hello.', until: gate.promise });
    const second = driver({ text: 'Hello again.' });
    const run = await first.begin({ agent: await first.apply() });
    const driving = run.drive();
    await eventually(() => textOf(run.chunks()) === 'Hello.');

    await driveRun(second.deps, run.delivery, createRunStop());
    const head = await run.head();
    expect(head).toMatchObject({
      epoch: 2,
      status: 'finished',
      takeovers: 1,
      owners: [{ epoch: 1 }, { epoch: 2, index: 1, firstRecord: 1 }],
    });
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
    expect(run.acknowledged()).toBe(1);

    // The first owner finds out at its next write, and says nothing more.
    const said = run.live.length;
    gate.resolve();
    await expect(driving).rejects.toThrow(FencedError);
    await connection.bus.nc.flush();
    expect(run.live.slice(said).filter(({ epoch }) => epoch > 1)).toEqual([]);
    expect((await run.head())?.epoch).toBe(2);
    expect(run.acknowledged()).toBe(1);
    expect(await replayedText(run)).toBe('Hello again.');
  });

  test('of a run that another command drives is dropped', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await run.drive();
    const said = run.live.length;
    await run.drive({ sequence: 8 });
    expect(run.live).toHaveLength(said);
    expect(run.acknowledged()).toBe(2);
  });

  test('that comes to several at once has one ending', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await Promise.allSettled([run.drive(), run.drive(), run.drive()]);
    await eventually(async () => (await run.end())?.lastChunk);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect((await replayedTypes(run)).filter((type) => endsRun({ type }))).toHaveLength(1);
  });
});

describe('an owner that is fenced', () => {
  test('says nothing more: no chunk, no state, no acknowledgement', async () => {
    const gate = Promise.withResolvers<void>();
    const { begin, apply } = driver({ text: 'Hello.', until: gate.promise, lastWords: ' And more.' });
    const run = await begin({ agent: await apply() });
    const driving = run.drive();
    await eventually(() => textOf(run.chunks()) === 'Hello.');
    const before = { said: run.live.length, head: await run.head() };
    run.fence();
    await expect(driving).rejects.toThrow(FencedError);
    await connection.bus.nc.flush();
    expect({ said: run.live.length, head: await run.head() }).toEqual(before);
    expect(run.acknowledged()).toBe(0);
    gate.resolve();
  });
});

async function replayed(run: DrivenRun): Promise<Chunk[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches, complete } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  expect(complete).toBe(true);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the orchestrator published as chunks
  return batches.flatMap(({ chunks }) => chunks) as Chunk[];
}
const replayedTypes = async (run: DrivenRun) => typesOf(await replayed(run));
const replayedText = async (run: DrivenRun) => textOf(await replayed(run));
