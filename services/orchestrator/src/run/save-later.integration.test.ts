// A memory whose store is away when a run ends: the run ends all the same, and what it had to save is saved later, in its turn.
import { stateKeys, type StageCall, type Verdict } from '@millrace/contracts';
import { locateEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDeadLettersApi } from '../api/dead-letters-api.ts';
import { readEvents } from '../api/read-run.ts';
import { openPutOffSaves, type PutOffSaves } from '../state/put-off-saves.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { failure, goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { nextWaitMs, startSaver, type SaverOptions } from './save-later.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const away: Verdict = failure({ code: 'store-unavailable', message: 'Redis is full.' });
/** What each memory answers now. */
const answers = { history: goOn as Verdict, recall: goOn as Verdict };
/** What was asked of a memory for this test's thread, in order, whatever it answered. */
const asked: { memory: string; call: StageCall }[] = [];
const savedBy = (memory: string) =>
  asked.filter((one) => one.memory === memory && one.call.run.threadId === threadId).map(({ call }) => call);
let saves: PutOffSaves;
let threads = 0;
let threadId = '';

beforeEach(async () => {
  Object.assign(answers, { history: goOn, recall: goOn });
  asked.length = 0;
  threadId = `thread-${threads++}`;
  saves = await openPutOffSaves(stream.access);
  stops.push(() => saves.stop());
  for (const memory of ['history', 'recall'] as const) {
    const replica = scriptReplica(connection.bus, 'processOutputResult', [memory], (call) => {
      asked.push({ memory, call });
      return [answers[memory]];
    });
    stops.push(replica.stop);
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
const plan = () => planOf([memoryEntry('history'), memoryEntry('recall')]);

function driver() {
  const made = createDriver(stream, { text: 'Hello.' });
  made.deps.saves = saves;
  stops.push(made.stop);
  return made;
}

function saver(options: Partial<SaverOptions> = {}) {
  const stop = startSaver(driver().deps, { giveUpAfterMs: 60_000, lookEveryMs: 20, ...options });
  stops.push(stop);
}

async function finished(text = 'hello'): Promise<DrivenRun> {
  const { begin, apply } = driver();
  const run = await begin({ agent: await apply({}, plan()), threadId, text });
  await run.drive();
  expect(await run.head()).toMatchObject({ status: 'finished' });
  return run;
}

async function savesOf(run: DrivenRun) {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { events } = await readEvents(stream.access, head, { after: 0, limit: 100 });
  return events.flatMap((event) => (event.event === 'save' ? [event] : []));
}

describe('a save whose store is away', () => {
  test('is put off: the run finishes, and result and events say so', async () => {
    answers.history = away;
    const run = await finished();
    expect((await run.end())?.result.unsaved).toEqual(['history']);
    expect(saves.list('acme', threadId)).toMatchObject([{ runId: run.runId, entries: ['history'] }]);
    expect(await savesOf(run)).toMatchObject([
      { outcome: 'put-off', memories: ['history'], error: { code: 'store-unavailable' } },
    ]);
  });

  test('is made when the store is back, once, as the run was, by the memory that had not saved', async () => {
    answers.history = away;
    const run = await finished();
    const [first] = savedBy('history');
    saver();
    await eventually(() => savedBy('history').length > 1);
    answers.history = goOn;
    await eventually(() => saves.list('acme', threadId).length === 0);
    const last = savedBy('history').at(-1);
    expect(last?.input).toEqual(first?.input);
    expect(last?.run).toEqual(first?.run);
    expect(savedBy('recall')).toHaveLength(1);
    const key = stateKeys.save('acme', run.runId);
    const { state } = connection.bus.names;
    // What was to be stored is not kept beside what is.
    await eventually(async () => !('value' in (await locateEntry(stream.access, state, key, z.unknown()))));
    await eventually(async () => (await savesOf(run)).length === 2);
    expect((await savesOf(run)).map(({ outcome }) => outcome)).toEqual(['put-off', 'saved']);
  });

  test('keeps its place: a later run of the thread is saved after it, though the store is back by then', async () => {
    answers.history = away;
    const one = await finished('one');
    answers.history = goOn;
    const two = await finished('two');
    expect((await two.end())?.result.unsaved).toEqual(['history', 'recall']);
    const before = savedBy('history').length;
    saver();
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(
      savedBy('history')
        .slice(before)
        .map(({ run }) => run.runId),
    ).toEqual([one.runId, two.runId]);
    const other = await finished('three');
    expect((await other.end())?.result).not.toHaveProperty('unsaved');
  });

  test('is a dead letter after a bounded number of timeouts, however often its store was unavailable before', async () => {
    answers.history = away;
    const run = await finished();
    saver({ maxTimeouts: 3, waitMs: () => 0 });
    await eventually(() => savedBy('history').length > 6);
    const before = savedBy('history').length;
    answers.history = failure({ code: 'processor-timeout', message: 'No answer in time.' });
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBeLessThanOrEqual(4);
    await eventually(async () => (await savesOf(run)).at(-1)?.outcome === 'given-up');
    expect((await savesOf(run)).at(-1)).toMatchObject({ error: { code: 'processor-timeout' } });
    expect(savedBy('recall')).toHaveLength(1);
  });

  test('is known to every orchestrator, also to one that was started later', async () => {
    answers.history = away;
    const run = await finished();
    const others = await openPutOffSaves(stream.access);
    stops.push(() => others.stop());
    expect(others.list('acme', threadId)).toMatchObject([{ runId: run.runId }]);
    expect(others.isWaiting('acme', threadId)).toBe(true);
  });

  test('is tried by one orchestrator at a time', async () => {
    answers.history = away;
    await finished();
    answers.history = goOn;
    const before = savedBy('history').length;
    saver();
    saver();
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBe(1);
  });

  test('that waits too long is a dead letter, and is made when an operator retries it', async () => {
    answers.history = away;
    const run = await finished();
    saver({ giveUpAfterMs: 1 });
    await eventually(() => saves.list('acme', threadId).length === 0);
    await eventually(async () => (await savesOf(run)).at(-1)?.outcome === 'given-up');
    const letters = createDeadLettersApi(stream.access, saves, () => Promise.reject(new Error('it is no run')));
    const call = { tenant: 'acme', run: run.runId };
    const listed = (await letters.list({ limit: 100, after: 0 }, call)).letters.filter(
      ({ runId }) => runId === run.runId,
    );
    expect(listed).toMatchObject([{ what: 'save', entries: ['history'], error: { code: 'store-unavailable' } }]);

    answers.history = goOn;
    const before = savedBy('history').length;
    expect(await letters.retry({}, call)).toEqual({ what: 'save', runId: run.runId });
    await eventually(() => saves.list('acme', threadId).length === 0);
    expect(savedBy('history').length - before).toBe(1);
    await eventually(async () => (await savesOf(run)).at(-1)?.outcome === 'saved');
  });

  test('is that of the last owner: one that was replaced and wakes up puts nothing else in its place', async () => {
    answers.history = away;
    const run = await finished();
    const [save] = saves.list('acme', threadId);
    const kept = save && (await saves.read(save));
    if (!kept) throw new Error('no save was put off');
    await saves.add(save, { ...kept, ref: { ...kept.ref, epoch: 3 } });
    await saves.add({ ...save, entries: ['recall'] }, { ...kept, ref: { ...kept.ref, epoch: 2 } });
    expect(saves.list('acme', threadId)).toMatchObject([{ runId: run.runId, epoch: 3, entries: ['history'] }]);
    expect((await saves.read(save))?.ref.epoch).toBe(3);
  });

  test('keeps of the run what memories are shown, and not how far it had come', async () => {
    answers.history = away;
    await finished();
    const [save] = saves.list('acme', threadId);
    const kept = save && (await saves.read(save));
    expect(kept?.state).not.toHaveProperty('open');
    expect(kept?.state).not.toHaveProperty('finish');
  });

  test('by a memory that the agent does not let fail fails the run', async () => {
    answers.history = away;
    const { begin, apply } = driver();
    const run = await begin({ agent: await apply({}, planOf([memoryEntry('history', 'fail')])), threadId });
    await run.drive();
    expect(await run.end()).toMatchObject({ result: { status: 'failed', error: { code: 'store-unavailable' } } });
    expect(saves.list('acme', threadId)).toEqual([]);
  });
});

test('a run defers the save of an absent memory after seconds, not after the timeout of its entry', async () => {
  const { begin, apply } = driver();
  const absent = { ...memoryEntry('absent'), timeoutMs: 60_000 };
  const run = await begin({ agent: await apply({}, planOf([absent])), threadId });
  const driven = run.drive();
  await expect.poll(() => run.head(), { timeout: 9_000 }).toMatchObject({ status: 'finished' });
  await driven;
  expect((await run.end())?.result.unsaved).toEqual(['absent']);
});

test('a save that would be refused later too is not put off', async () => {
  answers.history = failure({ code: 'thread-foreign', message: 'It is of somebody else.', retryable: false });
  const run = await finished();
  expect((await run.end())?.result).not.toHaveProperty('unsaved');
  expect(saves.list('acme', threadId)).toEqual([]);
});

test('a deferred save waits up to 30 s between tries, and up to 16 minutes after its memory has timed out repeatedly', () => {
  expect([1, 2, 3, 6, 40].map((tries) => nextWaitMs(tries, 1) / 1_000)).toEqual([1, 2, 4, 30, 30]);
  expect([2, 3, 4, 5, 6].map((timeouts) => nextWaitMs(6, timeouts) / 60_000)).toEqual([1, 2, 4, 8, 16]);
});
