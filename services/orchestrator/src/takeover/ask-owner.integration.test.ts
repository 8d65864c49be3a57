// A command that the server delivers again, for example after a kill, although the owner of its run is alive.
import { openJetStream } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { FencedError } from '../streams/fenced-error.ts';
import { createRunStop } from '../state/run-stop.ts';
import { makeText } from '../testing/chunks.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { serveReports } from './ask-owner.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver } = useSuspendedRuns(stream);

/** Starts a run that has sent "Hello." and waits for its model, and another orchestrator with a new connection. */
async function startTwo() {
  const gate = Promise.withResolvers<void>();
  const owner = driver({ text: 'Hello.', until: gate.promise });
  const run = await owner.begin({ agent: await owner.apply() });
  const driving = run.drive();
  onTestFinished(async () => {
    gate.resolve();
    await driving.catch(() => undefined);
  });
  await eventually(() => makeText(run.chunks()) === 'Hello.');
  const bus = await connection.connect({ name: 'orchestrator' });
  const other = createDriver({ access: await openJetStream(bus) }, { text: 'Hello again.' });
  const serve = async () => {
    const reports = serveReports(connection.bus, owner.deps.driven);
    onTestFinished(() => reports.drain(0));
    await connection.bus.nc.flush();
  };
  let handedOver = 0;
  const handOver = () => void (handedOver += 1);
  const deliverAgain = (stop = createRunStop()) => driveRun(other.deps, { ...run.delivery, handOver }, stop);
  return { owner, run, driving, serve, deliverAgain, countHandedOver: () => handedOver, open: gate.resolve };
}

test('A run is left to its owner if the owner drives it', async () => {
  const { run, driving, serve, deliverAgain, open } = await startTwo();
  await serve();
  await deliverAgain();
  expect([await run.head(), run.countAcks()]).toMatchObject([{ epoch: 1, owner: connection.bus.id }, 0]);
  open();
  await driving;
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
  expect(run.countAcks()).toBe(1);
});

test('A run is left to an owner that connects later than the orchestrator that receives the command', async () => {
  const { run, serve, deliverAgain, open, driving } = await startTwo();
  const delivered = deliverAgain();
  await delay(500);
  await serve();
  await delivered;
  expect(await run.head()).toMatchObject({ epoch: 1 });
  open();
  await driving;
});

test('A run of an owner that does not answer is taken over', async () => {
  const { run, driving, deliverAgain, open } = await startTwo();
  await deliverAgain();
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
  open();
  await expect(driving).rejects.toThrow(FencedError);
});

test('A run that its owner has released is taken over, although the owner answers', async () => {
  const { run, driving, serve, deliverAgain } = await startTwo();
  await serve();
  run.fence();
  await deliverAgain();
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello again.' } });
  await expect(driving).rejects.toThrow(FencedError);
});

test('A run that its owner has claimed and not begun yet is left to it', async () => {
  const { owner, run, serve, deliverAgain } = await startTwo();
  const { report: _, ...driven } = owner.deps.driven;
  Object.assign(owner.deps.driven, { ...driven, report: () => undefined });
  await serve();
  await deliverAgain();
  expect(await run.head()).toMatchObject({ epoch: 1 });
});

test.each(['stops', 'leaves'])(
  'If a process %s while it asks, it requeues the command and claims nothing',
  async (how) => {
    const { run, deliverAgain, countHandedOver } = await startTwo();
    const stop = createRunStop();
    const delivered = deliverAgain(stop);
    await delay(300);
    if (how === 'stops') stop.stop('leaving');
    else stop.leave();
    await delivered;
    expect([await run.head(), countHandedOver()]).toMatchObject([{ epoch: 1, owner: connection.bus.id }, 1]);
  },
);

test('A process that is fenced while it asks writes no head and sends no NAK', async () => {
  const { run, deliverAgain, countHandedOver } = await startTwo();
  const stop = createRunStop();
  const delivered = deliverAgain(stop);
  await delay(300);
  stop.fence();
  await delivered;
  expect([await run.head(), countHandedOver()]).toMatchObject([{ epoch: 1, owner: connection.bus.id }, 0]);
});
