// `control` messages over the bus, for runs that are driven here: they count if the stored state agrees.
import { stateKeys } from '@millrace/contracts';
import { publish, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useRunConsumers } from '../testing/run-consumers.ts';
import { askCancel } from '../state/run-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { consumer } = useRunConsumers(connection, stream);
const isRunning = (run: DrivenRun) => eventually(() => run.chunks().some(({ type }) => type === 'text-delta'));
const makeControl = (run: DrivenRun) => connection.bus.subjects.control('acme', run.runId);
/** As another orchestrator writes it that takes the run over. */
async function takenOver(run: DrivenRun): Promise<void> {
  const key = stateKeys.head('acme', run.runId);
  const there = await run.head();
  await writeEntry(stream.access, connection.bus.names.state, key, { ...there, owner: 'another', epoch: 2 }, {});
}
/** Reads of the head and of the cancel key. */
function watchReads({ bus }: JetStreamAccess, runId: string) {
  let count = 0;
  const subscription = bus.nc.subscribe(`$JS.API.STREAM.MSG.GET.KV_${bus.names.state}`, {
    callback: (_error, message) =>
      void (count += /"[^"]*\.(head|cancel)\./.test(message.string()) && message.string().includes(runId) ? 1 : 0),
  });
  return { count: () => count, stop: () => subscription.unsubscribe() };
}

describe('a control message', () => {
  test('of a new owner makes the old one leave a command that was delivered again to the new one', async () => {
    const { runs, begin } = await consumer(4);
    const run = await begin();
    runs.take(run.delivery);
    await isRunning(run);
    runs.take(run.delivery);
    await takenOver(run);
    publish(connection.bus, connection.bus.subjects.control('acme', run.runId), { control: 'epoch', epoch: 2 });
    await runs.drain(2_000);
    const head = await run.head();
    expect(head).toMatchObject({ status: 'running', epoch: 2 });
    expect(head).not.toHaveProperty('handedOver');
  });

  const control = (run: DrivenRun, what: object) =>
    publish(connection.bus, connection.bus.subjects.control('acme', run.runId), what);

  test('cancels the run that it names, and no other', async () => {
    const { runs, begin, open } = await consumer(4);
    const [one, two] = [await begin(), await begin()];
    runs.take(one.delivery);
    runs.take(two.delivery);
    await Promise.all([isRunning(one), isRunning(two)]);
    await askCancel(stream.access, 'acme', one.runId, 60);
    control(one, { control: 'cancel' });
    await eventually(() => one.countAcks() === 1);
    expect(await one.end()).toMatchObject({ result: { status: 'cancelled', text: 'Hello.' } });
    expect(one.chunks().at(-1)?.type).toBe('abort');
    open();
    await eventually(() => two.countAcks() === 1);
    expect(await two.head()).toMatchObject({ status: 'finished' });
  });

  test('of a new epoch silences the old owner at once', async () => {
    const { runs, begin } = await consumer(4);
    const run = await begin();
    runs.take(run.delivery);
    await isRunning(run);
    const said = run.live.length;
    await takenOver(run);
    control(run, { control: 'epoch', epoch: 2 });
    await runs.drain(2_000);
    await connection.bus.nc.flush();
    expect(run.live).toHaveLength(said);
    expect(run.countAcks()).toBe(0);
    expect(await run.head()).toMatchObject({ status: 'running' });
  });
});

describe('a forged or late control message', () => {
  test.each([
    ['a cancellation', { control: 'cancel' }],
    ['a new owner', { control: 'epoch', epoch: 1_000 }],
  ])('of %s changes nothing when the stored state disagrees', async (_, message) => {
    const { runs, begin, open } = await consumer(4);
    const run = await begin();
    runs.take(run.delivery);
    await isRunning(run);
    const reads = watchReads(stream.access, run.runId);
    for (let count = 0; count < 50; count += 1) publish(connection.bus, makeControl(run), message);
    await eventually(() => reads.count() > 0);
    open();
    await eventually(() => run.countAcks() === 1);
    expect(await run.head()).toMatchObject({ status: 'finished', epoch: 1 });
    // One read at a time, and one for the messages that arrived during it.
    expect(reads.count()).toBeLessThan(50);
    reads.stop();
  });
});
