// A fenced owner must not write an ending, whatever stopped it before; and no command is extended for ever.
import { stateKeys } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readEvents } from '../api/read-run.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { createRunStop } from '../state/run-stop.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { createRunConsumer } from './run-consumer.ts';
import { driveRun } from './drive-run.ts';
import { extendAck } from './extend-ack.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

/** A run with a model that has sent "Hello." and then waits. */
async function waiting() {
  const gate = Promise.withResolvers<void>();
  const driver = createDriver(stream, { text: 'Hello.', until: gate.promise });
  onTestFinished(() => gate.resolve());
  const run = await driver.begin({ agent: await driver.apply() });
  return { ...driver, run, open: gate.resolve };
}
const hasSpoken = (run: DrivenRun) => eventually(() => makeText(run.chunks()) === 'Hello.');
const listEndings = async (run: DrivenRun) => {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { events } = await readEvents(stream.access, head, { after: 0, limit: 100 });
  return events.filter(({ event }) => event === 'run');
};

describe('an owner that is fenced', () => {
  test('while its cancelled run is ending writes neither state nor chunk, event or acknowledgement', async () => {
    const { run } = await waiting();

    const driving = run.drive();
    await hasSpoken(run);
    run.stop.stop('cancelled');
    run.fence();

    await expect(driving).rejects.toThrow(FencedError);
    expect(await run.head()).toMatchObject({ status: 'running' });
    expect(run.countAcks()).toBe(0);
    expect(listTypes(run.chunks())).not.toContain('abort');
    expect(await listEndings(run)).toEqual([]);
  });

  test('adds no ending to the events of the new owner, though its own was due first', async () => {
    const { run, open } = await waiting();
    const driving = run.drive();
    await hasSpoken(run);
    const second = createDriver(stream, { text: 'Hello again.' });
    await driveRun(second.deps, run.delivery, createRunStop());
    // The first owner is not notified: it learns of its replacement when it writes.
    open();
    await expect(driving).rejects.toThrow(FencedError);
    expect(await listEndings(run)).toMatchObject([
      { epoch: 2, status: 'running' },
      { epoch: 2, status: 'finished' },
    ]);
  });
});

test('control of a new epoch does not fence the owner that published it', async () => {
  const { run } = await waiting();
  const driving = run.drive();
  await hasSpoken(run);
  const second = createDriver(stream, { text: 'Hello again.' });
  const consumer = createRunConsumer(second.deps, { maxRuns: 4, maxRunsPerTenant: 4 }, new AbortController().signal);
  onTestFinished(() => consumer.drain(1_000));
  await connection.bus.nc.flush();
  consumer.take(run.delivery);
  await eventually(() => run.countAcks() === 1);
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
  run.fence();
  await expect(driving).rejects.toThrow(FencedError);
});

describe('a command in the queue', () => {
  const extending = (delivery: DrivenRun['delivery']) => {
    let count = 0;
    return { delivery: { ...delivery, extend: () => void (count += 1) }, count: () => count };
  };

  test('is extended from its delivery on, before anything of the run is read, and at once after a reconnect', async () => {
    const { run } = await waiting();
    const { delivery, count } = extending(run.delivery);
    const letGo = extendAck(stream.access, delivery, createRunStop(), () => undefined);
    await nats.stop();
    await eventually(() => !connection.bus.hasConnection());
    const before = count();
    await nats.start();
    await eventually(() => count() > before);
    letGo();
    expect(count()).toBeGreaterThan(before);
    // The streams may answer later than the server.
    await eventually(
      () =>
        run.head().then(
          () => true,
          () => false,
        ),
      { timeoutMs: 20_000 },
    );
  }, 30_000);

  test('is not extended for ever: long after the deadline the run is abandoned and its place is free', async () => {
    const { run } = await waiting();
    const { delivery, count } = extending(run.delivery);
    const { command } = delivery;
    const late = { ...delivery, command: { ...command, request: { ...command.request, deadlineMs: 1 } } };
    let expired = 0;
    const letGo = extendAck(stream.access, late, createRunStop(), () => void (expired += 1), 50);
    await eventually(() => expired === 1);
    expect(count()).toBeLessThanOrEqual(1);
    letGo();
  });

  test('of a run that hangs although it is fenced frees its place and may be redelivered', async () => {
    const { deps, apply, begin } = createDriver(stream, { text: 'Hello.' });
    scriptReplica(connection.bus, 'processInput', ['p'], () => 'silence' as const);
    const consumer = createRunConsumer(deps, { maxRuns: 1, maxRunsPerTenant: 1 }, new AbortController().signal);
    onTestFinished(() => consumer.drain(1_000));
    const run = await begin({ agent: await apply({}, makePlan([planEntry('p', { timeoutMs: 60_000 })])) });
    consumer.take(run.delivery);
    await eventually(async () => (await run.head())?.status === 'running');
    const next = await begin({ sequence: 8 });
    consumer.take(next.delivery);
    const key = stateKeys.head('acme', run.runId);
    const { state } = connection.bus.names;
    await writeEntry(stream.access, state, key, { ...(await run.head()), owner: 'another', epoch: 9 }, {});
    deps.access.bus.nc.publish(
      connection.bus.subjects.control('acme', run.runId),
      JSON.stringify({ control: 'epoch', epoch: 9 }),
    );
    await eventually(() => next.countAcks() === 1);
    expect(run.countAcks()).toBe(0);
  });
});

describe('a run’s head that does not fit its schema', () => {
  test('is overwritten as failed, in the next epoch, and its command acknowledged', async () => {
    const { begin, apply, errors } = createDriver(stream, { text: 'never asked' });
    const run = await begin({ agent: await apply() });
    const key = stateKeys.head('acme', run.runId);
    await writeEntry(stream.access, connection.bus.names.state, key, { epoch: 3, nextIndex: 4, odd: true }, {});
    await run.drive();
    expect(await run.head()).toMatchObject({
      status: 'failed',
      epoch: 4,
      owners: [{ epoch: 1 }, { epoch: 4, index: 4 }],
    });
    expect(await run.end()).toMatchObject({ result: { error: { code: 'run-state-unreadable' } } });
    expect(run.countAcks()).toBe(1);
    expect(errors).toEqual(['run head invalid: ending the run']);
  });

  test('is overwritten too if it is not even JSON', async () => {
    const { begin, apply } = createDriver(stream, { text: 'never asked' });
    const run = await begin({ agent: await apply() });
    const { state } = connection.bus.names;
    await stream.access.js.publish(`$KV.${state}.${stateKeys.head('acme', run.runId)}`, 'not JSON');
    await run.drive();
    expect(await run.head()).toMatchObject({ status: 'failed' });
    expect(run.countAcks()).toBe(1);
  });
});
