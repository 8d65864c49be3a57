import { stateKeys, type RunStatus } from '@millrace/contracts';
import { ensureTopology, publishBytesDurably, writeEntry } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { startLogTrimmer, trimLog } from './trim-log.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const MAX_BYTES = 1024 * 1024;
const BATCH = new Uint8Array(30_000);
afterEach(async () => void (await stream.access.jsm.streams.purge(connection.bus.names.chunks(0))));

let count = 0;
/** A run with so many batches of 30 KB in the log. */
async function readLogged(status: RunStatus | 'forgotten', batches: number): Promise<string> {
  const { access } = stream;
  const runId = `run-${count++}`;
  if (status !== 'forgotten') {
    const key = stateKeys.head('acme', runId);
    await writeEntry(access, access.bus.names.state, key, createHead(runId, { status }), {});
  }
  for (let at = 0; at < batches; at += 1) await publish(runId, at);
  return runId;
}
const publish = (runId: string, at: number, batch = BATCH) =>
  publishBytesDurably(stream.access, connection.bus.subjects.log('acme', runId, 'chunks'), batch, `${runId}.${at}`, {
    once: true,
  });
const left = async (runId: string) => {
  const filter = connection.bus.subjects.runLog('acme', runId);
  const { state } = await stream.access.jsm.streams.info(connection.bus.names.chunks(0), { subjects_filter: filter });
  return Object.values(state.subjects ?? {}).reduce((sum, messages) => sum + messages, 0);
};
const limitLog = () => ensureTopology(stream.access, { maxBytes: { log: MAX_BYTES } });
const trim = () => trimLog(stream.access, connection.bus.names.chunks(0), 0);

test('chunks of ended and of forgotten runs are removed when the log is nearly full, and no others', async () => {
  await limitLog();
  const running = await readLogged('running', 6);
  const ended = await readLogged('finished', 8);
  const suspended = await readLogged('suspended', 4);
  const forgotten = await readLogged('forgotten', 6);
  const queued = await readLogged('queued', 4);
  await trim();
  const runs = [running, ended, suspended, forgotten, queued];
  expect(await Promise.all(runs.map(left))).toEqual([6, 0, 4, 0, 4]);
});

test('nothing is removed while the log has room', async () => {
  await limitLog();
  const ended = await readLogged('finished', 8);
  await trim();
  expect(await left(ended)).toBe(8);
});

test('a full log refuses chunks until those of ended runs are removed, and keeps all chunks of a run that has not ended', async () => {
  await limitLog();
  const running = await readLogged('running', 20);
  await readLogged('cancelled', 8);
  const fill = async () => {
    for (let at = 100; at < 200; at += 1) await publish(running, at);
  };
  await expect(fill()).rejects.toMatchObject({
    code: 'bus-unreachable',
    message: expect.stringContaining('maximum bytes'),
  });
  const before = await left(running);
  const trimmer = startLogTrimmer(stream.access);
  await publishBytesDurably(
    stream.access,
    connection.bus.subjects.log('acme', running, 'chunks'),
    BATCH,
    `${running}.again`,
  );
  await trimmer.stop();
  expect(await left(running)).toBe(before + 1);
});

test('a check looks at a bounded number of messages, and the next one continues there', async () => {
  await limitLog();
  const running = await readLogged('running', 0);
  for (let at = 0; at < 600; at += 1) await publish(running, at, BATCH.subarray(0, 1_400));
  const ended = await readLogged('failed', 2);
  const name = connection.bus.names.chunks(0);
  const { first_seq: first } = (await stream.access.jsm.streams.info(name)).state;
  const cursor = await trimLog(stream.access, name, 0);
  expect(cursor).toBe(first + 500);
  expect(await left(ended)).toBe(2);
  expect(await trimLog(stream.access, name, cursor)).toBe(0);
  expect([await left(running), await left(ended)]).toEqual([600, 0]);
});
