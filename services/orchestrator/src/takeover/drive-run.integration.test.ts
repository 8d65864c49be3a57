// A run from its command to its ack, against real streams: whatever happens, it ends once and reports how.
import { buildAgentKey, endsRun, type Chunk } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { countSubscriptions } from '../testing/subscriptions.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import type { Say } from '../testing/scripted-model.ts';
import { driveRun } from './drive-run.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { createRunStop } from '../state/run-stop.ts';
import { askCancel } from '../state/run-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const driver = (...script: Say[]) => createDriver(stream, ...script);

describe('a driven run', () => {
  test('stores its state, then publishes its last chunk, then acks its command', async () => {
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
    expect(makeText(run.chunks())).toBe('Hello.');
  });

  test('can be replayed completely as soon as it has ended; the last chunk is at the index that the state names', async () => {
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

  test('fails by name without a call if its agent no longer allows its overrides', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    const { command } = run.delivery;
    await run.drive({ command: { ...command, request: { ...command.request, inputProcessors: ['pii'] } } });
    expect(await run.end()).toMatchObject({
      result: { status: 'failed', error: { code: 'run-refused', path: 'inputProcessors' } },
    });
    expect(asked).toEqual([]);
  });

  test('fails by name if its agent does not exist', async () => {
    const run = await driver().begin();
    await run.drive();
    expect(listTypes(run.chunks())).toEqual(['start', 'error']);
    expect(await run.end()).toMatchObject({ result: { error: { code: 'agent-unknown' } } });
    expect(run.countAcks()).toBe(1);
  });

  test('fails by name, not by a lost owner, if its agent no longer fits its schema', async () => {
    const key = buildAgentKey('acme', 'broken');
    await writeEntry(stream.access, connection.bus.names.agents, key, { agent: 1 }, { expectedRevision: 0 });
    const run = await driver().begin({ agent: 'broken' });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'message-invalid' } } });
  });

  test('calls nothing if it was cancelled before it began', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await askCancel(stream.access, 'acme', run.runId);
    await run.drive();
    expect(listTypes(run.chunks())).toEqual(['start', 'abort']);
    expect(await run.head()).toMatchObject({ status: 'cancelled' });
    expect(asked).toEqual([]);
  });

  test('fails by name if it waited in the queue past its deadline', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply(), deadlineMs: 1 });
    const { command } = run.delivery;
    await run.drive({ command: { ...command, submittedAt: Date.now() - 1_000 } });
    expect(await run.end()).toMatchObject({ result: { error: { code: 'run-deadline-exceeded' } } });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  test('fails if a bug breaks it, and the orchestrator logs the bug', async () => {
    const { begin, apply, deps, errors } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply({}, makePlan([planEntry('a'), planEntry('b')])) });
    deps.discovery.isServedTogether = () => {
      throw new Error('a bug');
    };
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'internal' } } });
    expect(run.countAcks()).toBe(1);
    expect(errors).toEqual(['a run broke']);
  });
});

test('a run leaves no subscription and no timer behind', async () => {
  const { begin, apply } = driver({ text: 'Hello.' });
  const agent = await apply();
  const runs = [];
  for (let n = 0; n < 21; n++) runs.push(await begin({ agent }));
  const [first, ...others] = runs;
  const holdText = async () => ({
    subscriptions: await countSubscriptions(nats.monitorUrl),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  });
  await first?.drive();
  const before = await holdText();
  for (const run of others) await run.drive();
  const after = await holdText();
  expect(after.subscriptions).toBe(before.subscriptions);
  // Discovery creates and removes its own.
  expect(after.timers).toBeLessThanOrEqual(before.timers + 1);
});

describe('a result that no message can hold', () => {
  // Each answer is below its own limit, but the result holds it four times.
  const long = 'x'.repeat(1_000_000);
  const calls = [1, 2].map((n) => ({ toolCallId: `c${n}`, toolName: 'nosuch', input: '{}' }));

  test('fails the run by name instead of being retried for ever', async () => {
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
    expect(run.countAcks()).toBe(1);
  });

  test('is not built from an answer that exceeds the limit of a step: the run fails by name', async () => {
    const { begin, apply } = driver({ text: long + long });
    const run = await begin({ agent: await apply() });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { error: { code: 'model-answer-too-large' } } });
    expect(makeText(run.chunks())).toBe('');
  });
});

describe('a redelivered command', () => {
  test('of a run that has ended repeats the last chunk at its index and is acked', async () => {
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
    expect(run.countAcks()).toBe(1);
    expect(asked).toHaveLength(1);
  });

  test('of a run that is active elsewhere takes the run over: the previous owner publishes nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const first = driver({ text: 'Hello.', until: gate.promise });
    const second = driver({ text: 'Hello again.' });
    const run = await first.begin({ agent: await first.apply() });
    const driving = run.drive();
    await eventually(() => makeText(run.chunks()) === 'Hello.');

    await driveRun(second.deps, run.delivery, createRunStop());
    const head = await run.head();
    expect(head).toMatchObject({
      epoch: 2,
      status: 'finished',
      takeovers: 1,
      owners: [{ epoch: 1 }, { epoch: 2, index: 1, firstRecord: 1 }],
    });
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
    expect(run.countAcks()).toBe(1);

    // The first owner learns of its replacement at its next write, and publishes nothing more.
    const said = run.live.length;
    gate.resolve();
    await expect(driving).rejects.toThrow(FencedError);
    await connection.bus.nc.flush();
    expect(run.live.slice(said).filter(({ epoch }) => epoch > 1)).toEqual([]);
    expect((await run.head())?.epoch).toBe(2);
    expect(run.countAcks()).toBe(1);
    expect(await replayedText(run)).toBe('Hello again.');
  });

  test('of a run that another command drives is dropped', async () => {
    const { begin, apply } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await run.drive();
    const said = run.live.length;
    await run.drive({ sequence: 8 });
    expect(run.live).toHaveLength(said);
    expect(run.countAcks()).toBe(2);
  });

  test('that several orchestrators receive at once leads to one ending', async () => {
    const { begin, apply, asked } = driver({ text: 'Hello.' });
    const run = await begin({ agent: await apply() });
    await Promise.allSettled([run.drive(), run.drive(), run.drive()]);
    await eventually(async () => (await run.end())?.lastChunk);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect((await replayedTypes(run)).filter((type) => endsRun({ type }))).toHaveLength(1);
  });
});

describe('a fenced owner', () => {
  test('publishes no chunk, writes no state and acks nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const { begin, apply } = driver({ text: 'Hello.', until: gate.promise, lastWords: ' And more.' });
    const run = await begin({ agent: await apply() });
    const driving = run.drive();
    await eventually(() => makeText(run.chunks()) === 'Hello.');
    const before = { said: run.live.length, head: await run.head() };
    run.fence();
    await expect(driving).rejects.toThrow(FencedError);
    await connection.bus.nc.flush();
    expect({ said: run.live.length, head: await run.head() }).toEqual(before);
    expect(run.countAcks()).toBe(0);
    gate.resolve();
  });
});

async function replay(run: DrivenRun): Promise<Chunk[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches, complete } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  expect(complete).toBe(true);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the orchestrator published as chunks
  return batches.flatMap(({ chunks }) => chunks) as Chunk[];
}
const replayedTypes = async (run: DrivenRun) => listTypes(await replay(run));
const replayedText = async (run: DrivenRun) => makeText(await replay(run));
