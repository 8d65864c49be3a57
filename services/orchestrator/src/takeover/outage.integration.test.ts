// A run during an outage of its server: its checkpoints wait, nothing is lost or repeated.
import { useBus, useNats, eventually } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readChunks, readEvents } from '../api/read-run.ts';
import { makeText } from '../testing/chunks.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

test('a run continues after an outage of its server and ends as it would have without one', async () => {
  const gate = Promise.withResolvers<void>();
  const { begin, apply, asked } = createDriver(stream, { text: 'Hello.', until: gate.promise });
  const run = await begin({ agent: await apply() });
  const driving = run.drive();
  await eventually(() => makeText(run.chunks()) === 'Hello.');

  await nats.stop();
  // The model ends its answer now: the checkpoint that accepts it meets a server that is not there.
  gate.resolve();
  await eventually(() => !connection.bus.hasConnection());
  await nats.start();
  await driving;

  const head = await run.head();
  expect(head).toMatchObject({ status: 'finished', epoch: 1 });
  expect(await run.end()).toMatchObject({ result: { text: 'Hello.' } });
  expect(run.countAcks()).toBe(1);
  expect(asked).toHaveLength(1);
  if (!head) throw new Error('the run has no head');
  const { batches, complete } = await readChunks(stream.access, head, { epoch: 1, index: 0 });
  expect(complete).toBe(true);
  expect(batches.flatMap(({ chunks }) => chunks).filter(({ type }) => type === 'text-delta')).toHaveLength(1);
  expect(
    (await readEvents(stream.access, head, { after: 0, limit: 100 })).events.filter(({ event }) => event === 'model'),
  ).toHaveLength(1);
}, 60_000);

test('a run with an owner that cannot write any more is released without a chunk, and continues when its command is redelivered', async () => {
  const gate = Promise.withResolvers<void>();
  const { begin, apply } = createDriver(stream, { text: 'Hello.', until: gate.promise });
  const run = await begin({ agent: await apply() });
  const driving = run.drive();
  await eventually(() => makeText(run.chunks()) === 'Hello.');

  await nats.stop();
  gate.resolve();
  await expect(driving).rejects.toMatchObject({ code: 'bus-unreachable' });
  await nats.start();
  expect(run.countAcks()).toBe(0);
  await run.drive();

  expect(await run.head()).toMatchObject({ status: 'finished', epoch: 2 });
  expect(run.chunks().filter(({ type }) => type === 'error')).toEqual([]);
}, 60_000);
