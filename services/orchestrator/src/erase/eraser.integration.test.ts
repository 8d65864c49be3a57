// Erasures over real streams: data that outlives the heads of runs, interrupted attempts, and runs that arrive late.
import { saveKey, stateKeys, type DeadLetter, type Erasure, type ForgetRequest } from '@millrace/contracts';
import { locateEntry, publishDurably, serveForget, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { keepDeadLetter, readDeadLetter } from '../saves/dead-letters.ts';
import { openDeferredSaves, type DeferredSaves } from '../saves/deferred-saves.ts';
import { createEventLog } from '../state/event-log.ts';
import { hashResource } from '../state/hash-resource.ts';
import { readHead } from '../head/run-head.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { makeRequest, newRun } from '../testing/runs-api.ts';
import { createEraseVerb } from './erase-verb.ts';
import { addUp, startEraser } from './eraser.ts';
import { openErasures, type Erasures } from './erasures.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const tenant = 'acme';
let erasures: Erasures;
let saves: DeferredSaves;
let asked: ForgetRequest[] = [];

beforeEach(async () => {
  asked = [];
  erasures = await openErasures(stream.access);
  saves = await openDeferredSaves(stream.access);
  onTestFinished(() => erasures.stop());
  onTestFinished(() => saves.stop());
});

/** A service that stores data of resources. @param answer throws, or returns the numbers of its answer */
async function serveMemory(
  name: string,
  answer: () => { deleted: number; left: number } = () => ({ deleted: 0, left: 0 }),
) {
  const bus = await connection.connect({ name });
  const serving = serveForget(bus, async (request) => {
    asked.push(request);
    return answer();
  });
  await bus.nc.flush();
  return () => serving.drain(100);
}
function start(services: readonly string[] = [], claimMs = 2_000) {
  const stop = startEraser({ access: stream.access, erasures, saves, services, settleMs: 50, claimMs });
  onTestFinished(stop);
  return stop;
}
const begin = (resourceId: string, eraseId = 'e1') => erasures.begin({ tenant, resourceId, eraseId });
const waitUntilDone = (resourceId: string): Promise<Erasure> =>
  eventually(
    async () => {
      const erasure = await erasures.read({ tenant, resourceId });
      return erasure?.status === 'done' ? erasure : undefined;
    },
    { timeoutMs: 20_000 },
  );
const readDeleted = ({ stores }: Erasure) => Object.fromEntries(stores.map(({ store, deleted }) => [store, deleted]));
const writeHead = (runId: string, more: Parameters<typeof createHead>[1]) =>
  writeEntry(stream.access, connection.bus.names.state, stateKeys.head(tenant, runId), createHead(runId, more), {});
/** A save that is not due in this test, with an input of any form. */
async function writeSave(runId: string, resourceId: string) {
  const { names } = connection.bus;
  const error = { code: 'store-unavailable', message: 'away' };
  const common = { tenant, runId, agent: 'demo', resourceId, entries: ['history'], error };
  const save = { ...common, since: 1, place: 1, tries: 0, nextAt: Date.now() + 3_600_000 };
  await writeEntry(stream.access, names.state, stateKeys.save(tenant, runId), { text: 'private' }, {});
  await writeEntry(stream.access, names.saves, saveKey(tenant, runId), save, {});
}
async function hasInput(runId: string): Promise<boolean> {
  const key = stateKeys.save(tenant, runId);
  const there = await locateEntry(stream.access, connection.bus.names.state, key, z.unknown());
  return 'value' in there;
}
async function writeEvent(runId: string, resourceId: string) {
  const events = createEventLog({ access: stream.access, tenant, runId, epoch: 1, resourceId });
  events.record({ event: 'run', status: 'finished', step: 0 });
  await events.flush();
}
async function writeChanges(runId: string, resourceId: string) {
  const { subjects } = connection.bus;
  const stored = { epoch: 1, at: 'now', owner: hashResource(tenant, resourceId), changes: [], omitted: 1 };
  await publishDurably(stream.access, subjects.changes(tenant, runId), stored, `${runId}.changes`);
}
async function countChanges(runId: string): Promise<number> {
  const { jsm, bus } = stream.access;
  const subject = bus.subjects.changes(tenant, runId);
  const { state } = await jsm.streams.info(bus.names.changes, { subjects_filter: subject });
  return state.subjects?.[subject] ?? 0;
}
async function countEvents(runId: string): Promise<number> {
  const { jsm, bus } = stream.access;
  const subject = bus.subjects.events('0', tenant, runId);
  const { state } = await jsm.streams.info(bus.names.events, { subjects_filter: subject });
  return state.subjects?.[subject] ?? 0;
}

describe('an erasure', () => {
  test('deletes dead letters, deferred saves and events of runs without a head, and keeps those of others', async () => {
    const keepLetter = async (resourceId: string, what: 'run' | 'save') => {
      const address = newRun();
      const runId = address.run;
      const error = { code: 'run-given-up' as const, message: 'Too many were lost.' };
      const common = { tenant, runId, agent: 'demo', at: '', error };
      const put = {
        ...common,
        resourceId,
        epoch: 1,
        entries: ['history'],
        since: 1,
        place: 1,
        tries: 1,
        timeouts: 0,
        nextAt: 1,
      };
      const letter: DeadLetter =
        what === 'run'
          ? { what, ...common, request: { ...makeRequest(address), resourceId } }
          : { what, ...common, save: put };
      await keepDeadLetter(stream.access, letter);
      return runId;
    };
    const own = [await keepLetter('ada', 'run'), await keepLetter('ada', 'save')];
    const other = await keepLetter('bob', 'run');
    for (const resourceId of ['ada', 'bob']) await writeSave(`save-${resourceId}`, resourceId);
    await eventually(() => saves.list(tenant).length === 2);
    await writeEvent('expired-ada', 'ada');
    await writeEvent('expired-bob', 'bob');
    for (const resourceId of ['ada', 'bob']) await writeChanges(`expired-${resourceId}`, resourceId);
    start();
    await begin('ada');
    const done = await waitUntilDone('ada');
    expect(readDeleted(done)).toEqual({ runs: 0, saves: 1, 'dead-letters': 2, events: 1, changes: 1 });
    expect(saves.list(tenant).map(({ runId }) => runId)).toEqual(['save-bob']);
    expect([await hasInput('save-ada'), await hasInput('save-bob')]).toEqual([false, true]);
    for (const runId of own) expect(await readDeadLetter(stream.access, tenant, runId)).toBeUndefined();
    expect(await readDeadLetter(stream.access, tenant, other)).toBeDefined();
    expect([await countEvents('expired-ada'), await countEvents('expired-bob')]).toEqual([0, 1]);
    expect([await countChanges('expired-ada'), await countChanges('expired-bob')]).toEqual([0, 1]);
  });

  test('deletes ended runs of the resource that were submitted until then, and fences them in each service', async () => {
    const erasure = await begin('carol');
    const ended = { status: 'finished' as const, resourceId: 'carol', threadId: 't1' };
    await writeHead('carol-1', { ...ended, submittedAt: erasure.at });
    await writeHead('carol-2', { ...ended, submittedAt: erasure.at + 1 });
    await writeHead('dave-1', { ...ended, resourceId: 'dave', submittedAt: erasure.at });
    onTestFinished(await serveMemory('memory-a'));
    start(['memory-a']);
    const done = await waitUntilDone('carol');
    expect(readDeleted(done)).toMatchObject({ runs: 1, 'memory-a': 0 });
    expect(asked[0]).toEqual({
      what: 'resource',
      tenant,
      resourceId: 'carol',
      runs: [{ runId: 'carol-1', threadId: 't1' }],
    });
    expect(await readHead(stream.access, tenant, 'carol-1')).toBeUndefined();
    expect(await readHead(stream.access, tenant, 'carol-2')).toBeDefined();
    expect(await readHead(stream.access, tenant, 'dave-1')).toBeDefined();
  });

  test('keeps the heads of runs, which the services need, until every service has deleted', async () => {
    const erasure = await begin('erin');
    await writeHead('erin-1', { status: 'finished', resourceId: 'erin', submittedAt: erasure.at });
    let isAway = true;
    const answer = () => {
      if (isAway) throw new Error('the store is away');
      return { deleted: 3, left: 0 };
    };
    onTestFinished(await serveMemory('memory-b', answer));
    start(['memory-b']);
    const waiting = await eventually(async () => {
      const found = await erasures.read({ tenant, resourceId: 'erin' });
      return found?.status === 'waiting' ? found : undefined;
    });
    expect(waiting.stores).toContainEqual(expect.objectContaining({ store: 'memory-b', error: expect.anything() }));
    expect(await readHead(stream.access, tenant, 'erin-1')).toBeDefined();
    isAway = false;
    // The first attempt that finds nothing is followed by one that confirms it.
    expect(readDeleted(await waitUntilDone('erin'))).toMatchObject({ runs: 1, 'memory-b': 6 });
    expect(asked.at(-1)).toMatchObject({ runs: [] });
  });

  test('is not done while a service finds entries after its deletion', async () => {
    let left = 2;
    onTestFinished(await serveMemory('memory-c', () => ({ deleted: 1, left: Math.max(left--, 0) })));
    await begin('finn');
    start(['memory-c']);
    const { tries, stores } = await waitUntilDone('finn');
    expect(tries).toBeGreaterThanOrEqual(4);
    expect(stores.find(({ store }) => store === 'memory-c')).toMatchObject({ left: 0, deleted: tries });
  });

  test('continues on another orchestrator if the one that makes it stops or is lost', async () => {
    const hanging = Promise.withResolvers<void>();
    const bus = await connection.connect({ name: 'memory-d' });
    let requests = 0;
    const serving = serveForget(bus, async () => {
      requests += 1;
      if (requests === 1) await hanging.promise;
      return { deleted: 1, left: 0 };
    });
    onTestFinished(() => serving.drain(100));
    await bus.nc.flush();
    await begin('gail');
    const first = start(['memory-d'], 600);
    await eventually(() => requests === 1);
    const stopped = first();
    // Its claim ends without extension, as if the process was killed.
    start(['memory-d'], 600);
    const done = await waitUntilDone('gail');
    expect(done.tries).toBeGreaterThanOrEqual(3);
    hanging.resolve();
    await stopped;
    expect((await erasures.read({ tenant, resourceId: 'gail' }))?.status).toBe('done');
  });

  test('begins once for concurrent requests, returns the proof for its id, and begins again for another id', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `e-${at}`);
    const begun = await Promise.all(ids.map((eraseId) => begin('hugo', eraseId)));
    expect(new Set(begun.map(({ eraseId }) => eraseId)).size).toBe(1);
    start();
    const { at, eraseId } = await waitUntilDone('hugo');
    const erase = createEraseVerb(erasures);
    expect(await erase({ resourceId: 'hugo', eraseId }, { tenant })).toMatchObject({ status: 'done' });
    expect((await begin('hugo', 'later')).at).toBeGreaterThan(at);
    await waitUntilDone('hugo');
  });

  test('fences a run that was submitted before it and arrives later, and no other', async () => {
    const driver = createDriver(stream, { text: 'Hello.' });
    driver.deps.erasures = erasures;
    const agent = await driver.apply();
    const run = await driver.begin({ agent });
    Object.assign(run.delivery.command.request, { resourceId: 'ivan' });
    await begin('ivan');
    start();
    await waitUntilDone('ivan');
    // An orchestrator knows of an erasure by its watch of the bucket.
    await eventually(() => erasures.isErased({ tenant, resourceId: 'ivan', submittedAt: 0 }));
    await run.drive();
    expect((await run.head())?.status).toBe('cancelled');
    const { at } = await waitUntilDone('ivan');
    expect(erasures.isErased({ tenant, resourceId: 'ivan', submittedAt: at + 1 })).toBe(false);
    expect(erasures.isErased({ tenant: 'other', resourceId: 'ivan', submittedAt: at })).toBe(false);
    expect(erasures.isErased({ tenant, subject: 'ivan', submittedAt: at })).toBe(true);
  });
});

test('The deletions of attempts add up by store, and the newest error and number count', () => {
  const error = { code: 'timeout' as const, message: 'late' };
  const before = [{ store: 'a', deleted: 2, error }];
  expect(
    addUp(before, [
      { store: 'a', deleted: 1, left: 0 },
      { store: 'b', deleted: 4, left: 1 },
    ]),
  ).toEqual([
    { store: 'a', deleted: 3, left: 0 },
    { store: 'b', deleted: 4, left: 1 },
  ]);
});
