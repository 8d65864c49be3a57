// An upgrade that is half done, or undone: an orchestrator meets heads, records and chunks of a version that is newer than its own.
import { STORED_VERSION, stateKeys, type RunHead } from '@millrace/contracts';
import { locateEntry, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readChunks } from '../api/read-run.ts';
import { delta, makeText } from '../testing/chunks.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { createRunStop } from '../state/run-stop.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);
const newer = { v: STORED_VERSION + 1 };

/** A run that its first owner has left at a checkpoint, in the middle of an answer. */
async function left(deadlineMs = 60_000): Promise<DrivenRun> {
  const hung = { text: 'It is', until: new Promise(() => undefined) };
  const driver = runs.driver(hung);
  const run = await driver.begin({ agent: await driver.apply(), deadlineMs });
  void run.drive().catch(() => undefined);
  await eventually(() => makeText(run.chunks()) === 'It is');
  run.fence();
  return run;
}

async function change(key: string, members: object): Promise<void> {
  const { state } = connection.bus.names;
  const there = await locateEntry(stream.access, state, key, z.looseObject({}));
  if (!('value' in there)) throw new Error(`${key} is not stored`);
  await writeEntry(stream.access, state, key, { ...there.value, ...members }, {});
}

/** The command is delivered to an orchestrator of this version. */
async function deliver(run: DrivenRun) {
  const putOff: number[] = [];
  const driver = runs.driver({ text: 'Noon.' });
  const submittedAt = Date.now();
  const command = { ...run.delivery.command, submittedAt };
  const delivery = { ...run.delivery, command, putOff: (ms: number) => void putOff.push(ms) };
  const drive = (more: object = {}) =>
    driveRun(driver.deps, { ...delivery, command: { ...command, ...more } }, createRunStop());
  await drive();
  return { asked: driver.asked, putOff, drive };
}

const headKey = ({ runId }: DrivenRun) => stateKeys.head('acme', runId);
const recordKey = ({ runId }: DrivenRun) => stateKeys.record('acme', runId, '1-0');

describe.each([
  ['head', headKey],
  ['record', recordKey],
])('a run with a %s of a newer version', (_what, buildKey) => {
  test('is requeued unchanged and continues on an orchestrator of that version', async () => {
    const run = await left();
    await change(buildKey(run), newer);
    const { asked, putOff, drive } = await deliver(run);
    expect({ asked, putOff: putOff.length, acknowledged: run.countAcks() }).toEqual({
      asked: [],
      putOff: 1,
      acknowledged: 0,
    });
    const { state } = connection.bus.names;
    await writeEntry(stream.access, state, buildKey(run), await readAny(buildKey(run)), {});
    await drive();
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Noon.' } });
  });

  test('fails by name after its deadline if no orchestrator of that version claims it', async () => {
    const run = await left();
    await change(buildKey(run), newer);
    const { putOff, drive } = await deliver(run);
    expect(putOff).toHaveLength(1);
    await drive({ submittedAt: Date.now() - 120_000 });
    expect(await run.end()).toMatchObject({ result: { error: { code: 'run-state-unreadable' } } });
  });
});

/** The entry as this version would have stored it. */
async function readAny(key: string): Promise<object> {
  const { state } = connection.bus.names;
  const subject = `$KV.${state}.${key}`;
  const stored = await stream.access.jsm.streams.getMessage(`KV_${state}`, { last_by_subj: subject });
  return z.looseObject({}).parse({ ...stored?.json<object>(), v: STORED_VERSION });
}

test('a member of a head that this version does not know is there after a takeover', async () => {
  const run = await left();
  const [owner] = (await run.head())?.owners ?? [];
  await change(headKey(run), { later: { kept: true }, owners: [{ ...owner, later: 1 }] });
  await deliver(run);
  expect(await readAny(headKey(run))).toMatchObject({
    status: 'finished',
    epoch: 2,
    later: { kept: true },
    owners: [{ epoch: 1, later: 1 }, { epoch: 2 }],
  });
});

test('a log with a batch of a newer version is refused by name, instead of read without it', async () => {
  const subject = connection.bus.subjects.log('acme', 'newer-log', 'chunks');
  const batch = (index: number) => ({ epoch: 1, index, chunks: [delta('word')] });
  await stream.access.js.publish(subject, JSON.stringify(batch(0)));
  await stream.access.js.publish(subject, JSON.stringify({ ...newer, ...batch(1) }));
  const head: RunHead = createHead('newer-log', { nextIndex: 2 });
  const reading = readChunks(stream.access, head, { epoch: 1, index: 0 });
  await expect(reading).rejects.toMatchObject({ code: 'stored-by-newer' });
});
