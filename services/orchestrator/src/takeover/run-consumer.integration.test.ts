import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useRunConsumers } from '../testing/run-consumers.ts';
import { driveRun } from './drive-run.ts';
import type { RunConsumer } from './run-consumer.ts';
import { readHead } from '../head/run-head.ts';
import { createRunStop } from '../state/run-stop.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { consumer } = useRunConsumers(connection, stream);
const isRunning = (run: DrivenRun) => eventually(() => run.chunks().some(({ type }) => type === 'text-delta'));
const isSettled = async (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
/** The run's command as the only one of another tenant in the queue. */
const ofTenant = ({ delivery }: DrivenRun, tenant: string, sequence: number) => ({
  ...delivery,
  sequence,
  command: { ...delivery.command, request: { ...delivery.command.request, tenant } },
});
const makeHead = async (tenant: string, { runId }: DrivenRun) => (await readHead(stream.access, tenant, runId))?.value;

describe('commands of the queue', () => {
  test('wait when all places are taken, and begin when a run has ended', async () => {
    const { runs, begin, open } = await consumer(1);
    const [one, two] = [await begin(), await begin({ sequence: 8 })];
    runs.take(one.delivery);
    runs.take(two.delivery);
    await isRunning(one);
    expect(await two.head()).toBeUndefined();
    open();
    await eventually(() => one.countAcks() === 1 && two.countAcks() === 1);
  });

  test('of a tenant that has its share of runs wait for one of those, and delay no other tenant', async () => {
    const { runs, begin, open } = await consumer(4, 1);
    const [one, two, other] = [await begin(), await begin({ sequence: 8 }), await begin()];
    for (const delivery of [one.delivery, two.delivery, ofTenant(other, 'initech', 9)]) runs.take(delivery);
    await isRunning(one);
    await eventually(async () => (await makeHead('initech', other)) !== undefined);
    expect(await two.head()).toBeUndefined();
    open();
    await eventually(() => one.countAcks() === 1 && two.countAcks() === 1);
  });

  test('of a tenant without a run begin at once when another tenant has taken all other places', async () => {
    const { runs, begin } = await consumer(2);
    const noisy = [await begin(), await begin({ sequence: 8 }), await begin({ sequence: 9 })];
    for (const { delivery } of noisy) runs.take(delivery);
    const quiet = await begin();
    runs.take(ofTenant(quiet, 'quiet', 10));
    await eventually(async () => (await makeHead('quiet', quiet)) !== undefined);
    expect(await noisy[2]?.head()).toBeUndefined();
  });

  test('that wait too long for a place are handed to another orchestrator', async () => {
    const { runs, begin, open } = await consumer(1);
    const [one, two] = [await begin(), await begin({ sequence: 8 })];
    let handedOver = 0;
    runs.take(one.delivery);
    runs.take({ ...two.delivery, handOver: () => void (handedOver += 1) });
    await eventually(() => handedOver === 1);
    open();
    await eventually(() => one.countAcks() === 1);
    expect(await two.head()).toBeUndefined();
  });

  test('are pulled while a tenant without runs could begin, and few of each shard wait here', async () => {
    const { runs, begin } = await consumer(16);
    expect(await runs.awaitRoom('q')).toBe(2);
    for (let sequence = 10; sequence < 30; sequence += 1) {
      runs.take({ ...(await begin({ sequence })).delivery, queue: 'q' });
    }
    expect(await isSettled(runs.awaitRoom('q'))).toBe(false);
    expect(await runs.awaitRoom('another')).toBe(1);
    // The places of tenants without runs, and those of callers without runs.
    for (let sequence = 40; sequence < 44; sequence += 1) {
      runs.take(ofTenant(await begin(), `tenant-${sequence}`, sequence));
    }
    expect(await isSettled(runs.awaitRoom('another'))).toBe(false);
  });

  test('that are redelivered while their run is active here change nothing', async () => {
    const { runs, begin, open, asked } = await consumer(4);
    const run = await begin();
    runs.take(run.delivery);
    await isRunning(run);
    runs.take(run.delivery);
    open();
    await eventually(() => run.countAcks() === 1);
    expect(await run.head()).toMatchObject({ status: 'finished', epoch: 1 });
    expect(asked).toHaveLength(1);
  });

  test('that arrive while their run is being released here are driven after it, in their turn', async () => {
    const { runs, begin, open, asked } = await consumer(4);
    const run = await begin();
    runs.take({ ...run.delivery, acknowledge: () => Promise.reject(new Error('no answer')) });
    await isRunning(run);
    runs.take(run.delivery);
    open();
    await eventually(() => run.countAcks() === 1);
    expect(await run.head()).toMatchObject({ status: 'finished' });
    expect(asked).toHaveLength(1);
  });

  test('of a run that cannot be stored are redelivered later, and other runs continue', async () => {
    const { runs, begin, open, errors } = await consumer(4);
    const run = await begin();
    runs.take({ ...run.delivery, acknowledge: () => Promise.reject(new Error('no answer')) });
    open();
    await eventually(() => errors.length === 1);
    expect(errors[0]).toContain('redelivered');
    const other = await begin();
    runs.take(other.delivery);
    await eventually(() => other.countAcks() === 1);
  });
});

describe('draining the runs', () => {
  /** The run, and the number of times that its command was handed over. */
  async function underWay(runs: RunConsumer, run: DrivenRun) {
    let count = 0;
    runs.take({ ...run.delivery, handOver: () => void (count += 1) });
    await isRunning(run);
    return () => count;
  }
  const goOn = async (run: DrivenRun) => {
    const next = createDriver(stream, { text: 'Hello again.' });
    await driveRun(next.deps, run.delivery, createRunStop());
    return next.asked.length;
  };

  test('lets runs reach their next checkpoint and hands them over without repeated work', async () => {
    const { runs, begin, open } = await consumer(4);
    const run = await begin();
    const handedOver = await underWay(runs, run);
    const drained = runs.drain(5_000);
    open();
    await drained;
    expect({ handedOver: handedOver(), acknowledged: run.countAcks() }).toEqual({ handedOver: 1, acknowledged: 0 });
    expect(await run.head()).toMatchObject({ status: 'running', handedOver: true });
    expect(await goOn(run)).toBe(0);
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
    const head = await run.head();
    expect(head).toMatchObject({ epoch: 2, takeovers: 0 });
    expect(head).not.toHaveProperty('handedOver');
  });

  test('interrupts a run that reaches no checkpoint in time: it continues elsewhere from its last one', async () => {
    const { runs, begin, errors } = await consumer(4);
    const run = await begin();
    const handedOver = await underWay(runs, run);
    await runs.drain(50);
    expect({ handedOver: handedOver(), acknowledged: run.countAcks() }).toEqual({ handedOver: 1, acknowledged: 0 });
    expect(await run.head()).toMatchObject({ status: 'running', handedOver: true });
    expect(await goOn(run)).toBe(1);
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
    expect(await run.head()).toMatchObject({ takeovers: 0 });
    expect(errors).toEqual([]);
  });

  test('hands over a command that was redelivered during the drain', async () => {
    const { runs, begin } = await consumer(4);
    const run = await begin();
    const handedOver = await underWay(runs, run);
    let again = 0;
    runs.take({ ...run.delivery, sequence: 8, handOver: () => void (again += 1) });
    await runs.drain(50);
    expect([handedOver(), again]).toEqual([1, 1]);
  });

  test('ends the wait for room, and hands waiting commands over', async () => {
    const { runs, begin, draining } = await consumer(1);
    const [run, waiting] = [await begin(), await begin({ sequence: 8 })];
    let handedOver = 0;
    runs.take(run.delivery);
    for (const sequence of [8, 9, 10, 11]) {
      runs.take({ ...waiting.delivery, sequence, handOver: () => void (handedOver += 1) });
    }
    await isRunning(run);
    const room = runs.awaitRoom(run.delivery.queue);
    expect(await isSettled(room)).toBe(false);
    draining.abort();
    await room;
    expect(handedOver).toBe(4);
    expect(run.countAcks()).toBe(0);
  });
});
