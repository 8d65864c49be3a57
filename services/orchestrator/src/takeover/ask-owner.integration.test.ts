// A command that the server delivers again, for example after a kill, although the owner of its run is alive.
import { openJetStream } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { FencedError } from '../release/fenced-error.ts';
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
const { driver, stops } = useSuspendedRuns(stream);

/** Starts a run that has sent "Hello." and waits for its model, and another orchestrator with a new connection. */
async function startTwo() {
  const gate = Promise.withResolvers<void>();
  const owner = driver({ text: 'Hello.', until: gate.promise });
  stops.push(gate.resolve);
  const run = await owner.begin({ agent: await owner.apply() });
  const driving = run.drive();
  driving.catch(() => undefined);
  await eventually(() => makeText(run.chunks()) === 'Hello.');
  const bus = await connection.connect({ name: 'orchestrator' });
  const other = createDriver({ access: await openJetStream(bus) }, { text: 'Hello again.' });
  stops.push(other.stop);
  const serve = async () => {
    const reports = serveReports(connection.bus, owner.deps.driven);
    stops.push(() => reports.drain(0));
    await connection.bus.nc.flush();
  };
  const deliverAgain = () => driveRun(other.deps, run.delivery, createRunStop());
  return { run, driving, serve, deliverAgain, open: gate.resolve };
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
