import { COMMON_VERSION, recordSchema, stateKeys, buildTextMessage } from '@millrace/contracts';
import { locateEntry, purgeEntries, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { driveRun } from '../takeover/drive-run.ts';
import { deleteHead } from '../erase/erase-runs.ts';
import { FINAL_TTL_SECONDS, markAbsentHead, readHead } from '../head/run-head.ts';
import { createRunStop } from '../state/run-stop.ts';
import { openRunStore } from '../state/run-store.ts';
import { createHead } from '../testing/run-heads.ts';
import { hashRequest } from './submit-run.ts';
import { newRun, makeRequest, useRunsApi } from '../testing/runs-api.ts';
import { useJetStream } from '../testing/jetstream.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { api, driver, listEnded: ended, takeQueued: queued, takeCommands } = useRunsApi(stream);

/** Returns the time to live of the head, or of the tombstone in its place. */
async function readHeadTtl({ tenant, run }: { tenant: string; run: string }): Promise<string | undefined> {
  const { state } = connection.bus.names;
  const subject = `$KV.${state}.${stateKeys.head(tenant, run)}`;
  const stored = await stream.access.jsm.streams.getMessage(`KV_${state}`, { last_by_subj: subject });
  return stored?.header.get('Nats-TTL');
}

describe('submit', () => {
  test('puts the run into the queue, once for one id', async () => {
    const taken = queued();
    const address = newRun();
    const answers = await Promise.all([1, 2, 3].map(() => api().submit(makeRequest(address), address)));
    const accepted = { runId: address.run, accepted: true };
    expect(answers.toSorted((one, other) => Number(one.created) - Number(other.created))).toEqual([
      { ...accepted, created: false },
      { ...accepted, created: false },
      { ...accepted, created: true },
    ]);
    await eventually(() => taken.length > 0);
    const other = newRun();
    await api().submit(makeRequest(other), other);
    await eventually(() => taken.some(({ command }) => command.request.runId === other.run));
    expect(taken.map(({ command }) => command.request.runId)).toEqual([address.run, other.run]);
    expect(taken[0]?.command).toMatchObject({ command: 'start', request: makeRequest(address) });
  });

  test('puts a run of the same id and content into the queue again after it was deleted', async () => {
    const taken = queued();
    const address = newRun();
    for (let count = 1; count <= 2; count += 1) {
      expect(await api().submit(makeRequest(address), address)).toMatchObject({ created: true });
      await eventually(() => taken.length === count);
      const head = stateKeys.head(address.tenant, address.run);
      await purgeEntries(stream.access, connection.bus.names.state, head);
    }
  });

  test('reads no cancel key for a new id, and reads it once a cancel has marked the place of the head', async () => {
    const { nc, names } = connection.bus;
    const taken = queued();
    let reads = 0;
    nc.subscribe(`$JS.API.STREAM.MSG.GET.KV_${names.state}`, { callback: () => void (reads += 1) });
    const [fresh, cancelled] = [newRun(), newRun()];
    await api().submit(makeRequest(fresh), fresh);
    await nc.flush();
    expect(reads).toBe(0);
    await expect(api().cancel({}, cancelled)).rejects.toMatchObject({ code: 'run-unknown' });
    await api().submit(makeRequest(cancelled), cancelled);
    expect((await readHead(stream.access, cancelled.tenant, cancelled.run))?.value.status).toBe('cancelled');
    await eventually(() => taken.length === 2);
  });

  test('leaves the tombstone of a deleted run its lifetime when a cancel of that run is refused', async () => {
    const taken = queued();
    const address = newRun();
    await api().submit(makeRequest(address), address);
    await eventually(() => taken.length === 1);
    await api().cancel({}, address);
    expect(await deleteHead(stream.access, { tenant: address.tenant, runId: address.run })).toBe(true);
    const lifetime = await readHeadTtl(address);
    await expect(api().cancel({}, address)).rejects.toMatchObject({ code: 'run-unknown' });
    expect([await readHeadTtl(address), lifetime]).toEqual([`${FINAL_TTL_SECONDS}s`, `${FINAL_TTL_SECONDS}s`]);
  });

  test('finds a tombstone of ten minutes after each of several cancels of an unknown run', async () => {
    const address = newRun();
    for (let count = 0; count < 3; count += 1) {
      await expect(api().cancel({}, address)).rejects.toMatchObject({ code: 'run-unknown' });
      expect(await readHeadTtl(address)).toBe('600s');
    }
  });

  test('has created the run also if it is sent again, because no answer arrived', async () => {
    const taken = queued();
    const address = newRun();
    const call = { ...address, submission: 'submission-1' };
    const answers = [await api().submit(makeRequest(address), call), await api().submit(makeRequest(address), call)];
    expect(answers.map(({ created }) => created)).toEqual([true, true]);
    await eventually(() => taken.length > 0);
  });

  test('of a run that has begun is the same run, however long ago it was queued', async () => {
    const taken = queued();
    const address = newRun();
    await openRunStore(stream.access, createHead(address.run, { requestHash: hashRequest(makeRequest(address)) }), 0);
    const answer = await api().submit(makeRequest(address), address);
    expect(answer).toEqual({ runId: address.run, accepted: true, created: false });
    await connection.bus.nc.flush();
    expect(taken).toEqual([]);
  });

  test('refuses an unknown agent, with the names of existing ones', async () => {
    const address = newRun();
    await expect(api().submit(makeRequest(address, { agent: 'other' }), address)).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('demo'),
    });
  });

  test.each([
    ['another run', { runId: 'other' }, 'runId'],
    ['another tenant', { tenant: 'other' }, 'tenant'],
  ])('refuses a request that names %s than its subject', async (_what, more, path) => {
    const address = newRun();
    await expect(api().submit(makeRequest(address, more), address)).rejects.toMatchObject({
      code: 'run-refused',
      path,
    });
  });

  test('refuses a request that the queue cannot hold, before anything is stored', async () => {
    const taken = queued();
    const address = newRun();
    const large = [buildTextMessage('m1', 'user', 'x'.repeat(connection.bus.readMaxPayload()))];
    await expect(api().submit(makeRequest(address, { messages: large }), address)).rejects.toMatchObject({
      code: 'message-too-large',
      path: 'messages',
    });
    await connection.bus.nc.flush();
    expect(taken).toEqual([]);
  });
});

describe('a run id', () => {
  const other = [buildTextMessage('m1', 'user', 'something else')];

  test('identifies one request: another one is refused while the first waits in the queue', async () => {
    const address = newRun();
    await api().submit(makeRequest(address), address);
    const again = api().submit(makeRequest(address, { messages: other }), address);
    await expect(again).rejects.toMatchObject({ code: 'run-exists', path: 'runId' });
    expect(await takeCommands(address)).toHaveLength(1);
  });

  test('identifies one request: another one is refused after the end, the same one is the same run', async () => {
    const { run, address } = await ended();
    const { request } = run.delivery.command;
    const hash = hashRequest(request);
    const head = await run.head();
    const key = stateKeys.head('acme', run.runId);
    const agent = 'demo';
    const same = { ...request, agent };
    await writeEntry(stream.access, connection.bus.names.state, key, { ...head, requestHash: hashRequest(same) }, {});
    expect(hash).not.toBe(hashRequest(same));
    const messages = same.messages.map((message) => ({ ...message, id: 'another-id' }));
    expect(await api().submit({ ...same, messages, deadlineMs: 5 }, address)).toMatchObject({ accepted: true });
    await expect(api().submit({ ...same, messages: other }, address)).rejects.toMatchObject({ code: 'run-exists' });
    expect(await takeCommands(address)).toEqual([]);
  });

  test('can be used again when its state has expired, though the marker of that is still there', async () => {
    const address = newRun();
    const key = stateKeys.head('acme', address.run);
    const { state } = connection.bus.names;
    await writeEntry(stream.access, state, key, createHead(address.run, { status: 'finished' }), { ttlSeconds: 1 });
    await eventually(async () => (await readHead(stream.access, 'acme', address.run)) === undefined);
    await api().submit(makeRequest(address), address);
    const made = driver({ text: 'Hello again.' });
    const agent = await made.apply();
    const [delivery] = await takeCommands(address);
    if (!delivery) throw new Error('there is no command');
    const request = { ...delivery.command.request, agent, deadlineMs: 60_000 };
    await driveRun(made.deps, { ...delivery, command: { ...delivery.command, request } }, createRunStop());
    expect(await api().run({}, address)).toMatchObject({ status: 'finished', result: { text: 'Hello again.' } });
  });
});

describe('a request with settings of a run', () => {
  test.each([
    [{}, COMMON_VERSION],
    [{ structuredOutput: { schema: { type: 'object' } }, release: 'result' as const }, 4],
  ])('with %j has a command and a first record of its version, which hold the settings', async (settings, v) => {
    const address = newRun();
    await api().submit(makeRequest(address, settings), address);
    const made = driver({ text: '{', until: new Promise(() => undefined) });
    const agent = await made.apply();
    const [delivery] = await takeCommands(address);
    if (!delivery) throw new Error('there is no command');
    expect(delivery.command).toMatchObject({ v, request: settings });
    const request = { ...delivery.command.request, agent, deadlineMs: 60_000 };
    const stop = createRunStop();
    const driving = driveRun(made.deps, { ...delivery, command: { ...delivery.command, request } }, stop);
    const key = stateKeys.record(address.tenant, address.run, '1-0');
    const locate = () => locateEntry(stream.access, connection.bus.names.state, key, recordSchema);
    await eventually(async () => 'value' in (await locate()));
    stop.fence();
    await driving.catch(() => undefined);
    const first = { request: settings, applied: { agent: settings } };
    const stored = await locate();
    if (!('value' in stored)) throw new Error('there is no record');
    expect(stored.value).toMatchObject({ v });
    expect(stored.value.actions[0]).toMatchObject(first);
  });

  test('is refused if no validator can be made of the schema', async () => {
    const address = newRun();
    const structuredOutput = { schema: { type: 'none' } };
    await expect(api().submit(makeRequest(address, { structuredOutput }), address)).rejects.toMatchObject({
      code: 'run-refused',
      path: 'structuredOutput.schema',
    });
  });
});

describe('a full queue', () => {
  test('refuses a run by a code, stores nothing of it, and leaves the tombstone of a deleted run its lifetime', async () => {
    const { runs } = connection.bus.names;
    const config = (await stream.access.jsm.streams.info(runs)).config;
    await stream.access.jsm.streams.update(runs, { ...config, max_msgs_per_subject: 1 });
    const first = newRun();
    const second = newRun();
    const deleted = newRun();
    await markAbsentHead(stream.access, deleted.tenant, deleted.run, FINAL_TTL_SECONDS);
    try {
      await api().submit(makeRequest(first), first);
      await expect(api().submit(makeRequest(second), second)).rejects.toMatchObject({
        code: 'queue-full',
        retryAfterMs: 2_000,
        remedy: expect.any(String),
      });
      await expect(api().run({}, second)).rejects.toMatchObject({ code: 'run-unknown' });
      expect(await readHeadTtl(second)).toBe('60s');
      await expect(api().submit(makeRequest(second), second)).rejects.toMatchObject({ code: 'queue-full' });
      expect(await readHeadTtl(second)).toBe('60s');
      await expect(api().submit(makeRequest(deleted), deleted)).rejects.toMatchObject({ code: 'queue-full' });
      expect(await readHeadTtl(deleted)).toBe(`${FINAL_TTL_SECONDS}s`);
    } finally {
      await stream.access.jsm.streams.update(runs, config);
    }
    await takeCommands(first);
    await api().submit(makeRequest(second), second);
    expect(await takeCommands(second)).toHaveLength(1);
  });
});
