// Saves of a memory with an unavailable store when the run ends: the run ends, and the save is made later, in order.
import { stateKeys, type StageCall, type Verdict } from '@millrace/contracts';
import { locateEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDeadLettersApi } from '../api/dead-letters-api.ts';
import { readEvents } from '../api/read-run.ts';
import { openDeferredSaves, type DeferredSaves } from './deferred-saves.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { failure, goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { computeWaitMs, startSaver, type SaverOptions } from './retry-saves.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const away: Verdict = failure({ code: 'store-unavailable', message: 'Redis is full.' });
/** Current reply of each memory. */
const answers = { history: goOn as Verdict, recall: goOn as Verdict };
/** Calls of a memory for this test's thread, in order, including those that failed. */
const asked: { memory: string; call: StageCall }[] = [];
const savedBy = (memory: string) =>
  asked.filter((one) => one.memory === memory && one.call.run.threadId === threadId).map(({ call }) => call);
let saves: DeferredSaves;
let threads = 0;
let threadId = '';

beforeEach(async () => {
  Object.assign(answers, { history: goOn, recall: goOn });
  asked.length = 0;
  threadId = `thread-${threads++}`;
  saves = await openDeferredSaves(stream.access);
  onTestFinished(() => saves.stop());
  for (const memory of ['history', 'recall'] as const) {
    scriptReplica(connection.bus, 'processOutputResult', [memory], (call) => {
      asked.push({ memory, call });
      return [answers[memory]];
    });
  }
});

const memoryEntry = (name: string, onFailure: 'skip' | 'fail' = 'skip') =>
  planEntry(name, {
    stages: ['processOutputResult'],
    memory: true,
    reads: ['input', 'response'],
    attempts: 1,
    onFailure,
  });
const plan = () => makePlan([memoryEntry('history'), memoryEntry('recall')]);

function driver() {
  const made = createDriver(stream, { text: 'Hello.' });
  made.deps.saves = saves;
  return made;
}

function saver(options: Partial<SaverOptions> = {}) {
  const stop = startSaver(driver().deps, { giveUpAfterMs: 60_000, checkEveryMs: 20, ...options });
  onTestFinished(stop);
}

async function finishRun(text = 'hello'): Promise<DrivenRun> {
  const { begin, apply } = driver();
  const run = await begin({ agent: await apply({}, plan()), threadId, text });
  await run.drive();
  expect(await run.head()).toMatchObject({ status: 'finished' });
  return run;
}

async function listSaves(run: DrivenRun) {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { events } = await readEvents(stream.access, head, { after: 0, limit: 100 });
  return events.flatMap((event) => (event.event === 'save' ? [event] : []));
}

describe('deferred saves', () => {
  test("the orchestrator defers the save of an unavailable store, and the run's result and events report it", async () => {
    answers.history = away;
    const run = await finishRun();
    expect((await run.end())?.result.unsaved).toEqual(['history']);
    expect(saves.list('acme', threadId)).toMatchObject([{ runId: run.runId, entries: ['history'] }]);
    expect(await listSaves(run)).toMatchObject([
      { outcome: 'put-off', memories: ['history'], error: { code: 'store-unavailable' } },
    ]);
  });

  test('the orchestrator makes a deferred save once, for the memory that failed, when the store is available again', async () => {
    answers.history = away;
    const run = await finishRun();
    const [first] = savedBy('history');
    saver();
    await eventually(() => savedBy('history').length > 1);
    answers.history = goOn;
    await eventually(() => saves.list('acme', threadId).length === 0);
    const last = savedBy('history').at(-1);
    expect(last?.input).toEqual(first?.input);
    expect(JSON.stringify(last?.input)).toContain('"label":{"origin":"caller","trust":"trusted"}');
    expect(last?.run).toEqual(first?.run);
    expect(savedBy('recall')).toHaveLength(1);
    const key = stateKeys.save('acme', run.runId);
    const { state } = connection.bus.names;
    // The stored input is deleted after the save.
    await eventually(async () => !('value' in (await locateEntry(stream.access, state, key, z.unknown()))));
    await eventually(async () => (await listSaves(run)).length === 2);
    expect((await listSaves(run)).map(({ outcome }) => outcome)).toEqual(['put-off', 'saved']);
  });

  test('a later run of the thread is saved after a deferred save, even if the store is available by then', async () => {
    answers.history = away;
    const one = await finishRun('one');
    answers.history = goOn;
    const two = await finishRun('two');
    expect((await two.end())?.result.unsaved).toEqual(['history', 'recall']);
    const before = savedBy('history').length;
    saver();
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(
      savedBy('history')
        .slice(before)
        .map(({ run }) => run.runId),
    ).toEqual([one.runId, two.runId]);
    const other = await finishRun('three');
    expect((await other.end())?.result).not.toHaveProperty('unsaved');
  });

  test('a save becomes a dead letter after a bounded number of timeouts, regardless of earlier unavailability', async () => {
    answers.history = away;
    const run = await finishRun();
    saver({ maxTimeouts: 3, waitMs: () => 0 });
    await eventually(() => savedBy('history').length > 6);
    const before = savedBy('history').length;
    answers.history = failure({ code: 'processor-timeout', message: 'No answer in time.' });
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBeLessThanOrEqual(4);
    await eventually(async () => (await listSaves(run)).at(-1)?.outcome === 'given-up');
    expect((await listSaves(run)).at(-1)).toMatchObject({ error: { code: 'processor-timeout' } });
    expect(savedBy('recall')).toHaveLength(1);
  });

  test('every orchestrator sees a deferred save, also one that started later', async () => {
    answers.history = away;
    const run = await finishRun();
    const others = await openDeferredSaves(stream.access);
    onTestFinished(() => others.stop());
    expect(others.list('acme', threadId)).toMatchObject([{ runId: run.runId }]);
    expect(others.isWaiting('acme', threadId)).toBe(true);
  });

  test('one orchestrator at a time retries a deferred save', async () => {
    answers.history = away;
    await finishRun();
    answers.history = goOn;
    const before = savedBy('history').length;
    saver();
    saver();
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBe(1);
  });

  test("a save that waits too long becomes a dead letter, and an operator's retry makes it", async () => {
    answers.history = away;
    const run = await finishRun();
    saver({ giveUpAfterMs: 1 });
    await eventually(() => saves.list('acme', threadId).length === 0);
    await eventually(async () => (await listSaves(run)).at(-1)?.outcome === 'given-up');
    const letters = createDeadLettersApi(stream.access, saves, () => Promise.reject(new Error('it is no run')));
    const call = { caller: 'operator', tenant: 'acme', run: run.runId };
    const listed = (await letters.list({ limit: 100, after: 0 }, call)).letters.filter(
      ({ runId }) => runId === run.runId,
    );
    expect(listed).toMatchObject([{ what: 'save', entries: ['history'], error: { code: 'store-unavailable' } }]);

    answers.history = goOn;
    const before = savedBy('history').length;
    expect(await letters.retry({}, call)).toEqual({ what: 'save', runId: run.runId });
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBe(1);
    await eventually(async () => (await listSaves(run)).at(-1)?.outcome === 'saved');
  });

  test('the save of the last owner counts: a replaced owner that resumes does not overwrite it', async () => {
    answers.history = away;
    const run = await finishRun();
    const [save] = saves.list('acme', threadId);
    const kept = save && (await saves.readKept(save));
    if (!kept) throw new Error('no save was put off');
    await saves.add(save, { ...kept, ref: { ...kept.ref, epoch: 3 } });
    await saves.add({ ...save, entries: ['recall'] }, { ...kept, ref: { ...kept.ref, epoch: 2 } });
    expect(saves.list('acme', threadId)).toMatchObject([{ runId: run.runId, epoch: 3, entries: ['history'] }]);
    expect((await saves.readKept(save))?.ref.epoch).toBe(3);
  });

  test('a deferred save keeps the part of the run that memories read, without its progress', async () => {
    answers.history = away;
    await finishRun();
    const [save] = saves.list('acme', threadId);
    const kept = save && (await saves.readKept(save));
    expect(kept?.state).not.toHaveProperty('open');
    expect(kept?.state).not.toHaveProperty('finish');
  });

  test('the run fails if its agent does not allow the memory to fail', async () => {
    answers.history = away;
    const { begin, apply } = driver();
    const run = await begin({ agent: await apply({}, makePlan([memoryEntry('history', 'fail')])), threadId });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { status: 'failed', error: { code: 'store-unavailable' } } });
    expect(saves.list('acme', threadId)).toEqual([]);
  });
});

test('a run defers the save of an absent memory after seconds, not after the timeout of its entry', async () => {
  const { begin, apply } = driver();
  const absent = { ...memoryEntry('absent'), timeoutMs: 60_000 };
  const run = await begin({ agent: await apply({}, makePlan([absent])), threadId });
  const driven = run.drive();
  await expect.poll(() => run.head(), { timeout: 9_000 }).toMatchObject({ status: 'finished' });
  await driven;
  expect((await run.end())?.result.unsaved).toEqual(['absent']);
});

test('a save is not deferred if a retry would fail in the same way', async () => {
  answers.history = failure({ code: 'thread-foreign', message: 'It is of somebody else.', retryable: false });
  const run = await finishRun();
  expect((await run.end())?.result).not.toHaveProperty('unsaved');
  expect(saves.list('acme', threadId)).toEqual([]);
});

test('a deferred save waits up to 30 s between tries, and up to 16 minutes after its memory has timed out repeatedly', () => {
  expect([1, 2, 3, 6, 40].map((tries) => computeWaitMs(tries, 1) / 1_000)).toEqual([1, 2, 4, 30, 30]);
  expect([2, 3, 4, 5, 6].map((timeouts) => computeWaitMs(6, timeouts) / 60_000)).toEqual([1, 2, 4, 8, 16]);
});
