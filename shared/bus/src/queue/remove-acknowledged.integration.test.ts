// Fills the disk of a real server: it counts acks at that time but cannot remove the messages.
import { eventually, useBus, useNats, writableFiles } from '@millrace/testkit';
import type { JsMsg } from '@nats-io/jetstream';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { guardTopology, type TopologyGuard } from './guard-topology.ts';
import { openJetStream, type JetStreamAccess } from '../streams/jetstream-access.ts';
import { setTimer } from './timers.ts';
import { ensureTopology } from './topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
let access: JetStreamAccess;
let guard: TopologyGuard | undefined;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
  await ensureTopology(access);
});
afterEach(() => guard?.stop());

const takeMessages = async (stream: string, durable: string, count: number): Promise<JsMsg[]> => {
  const consumer = await access.js.consumers.get(stream, durable);
  return Array.fromAsync(await consumer.fetch({ max_messages: count, expires: 10_000 }));
};
const countMessages = async (stream: string) => (await access.jsm.streams.info(stream)).state.messages;

test('Messages that were acknowledged while the disk was full are removed, and no others', async () => {
  const { runs, worker, timers, expirer } = owner.bus.names;
  const { subjects } = owner.bus;
  for (const tenant of ['acme', 'acme', 'initech', 'acme'])
    await access.js.publish(subjects.runs(3, tenant), 'a command');
  // One that is due, and one that is not.
  await setTimer(access, { tenant: 'acme', runId: 'due', epoch: 1 }, Date.now());
  await setTimer(access, { tenant: 'acme', runId: 'waiting', epoch: 1 }, Date.now() + 3_600_000);
  const [first, second, third] = await takeMessages(runs, worker(3), 3);
  const [expiry] = await takeMessages(timers, expirer, 1);

  writableFiles(nats.pid, false);
  for (const message of [first, second, third, expiry]) expect(await message?.ackAck()).toBe(true);
  writableFiles(nats.pid, true);
  await nats.stop();
  await nats.start();
  await eventually(() => owner.bus.hasConnection());
  expect([await eventually(() => countMessages(runs)), await countMessages(timers)]).toEqual([4, 2]);

  guard = guardTopology(access, { checkEveryMs: 20 });
  await eventually(async () => (await countMessages(runs)) === 1 && (await countMessages(timers)) === 1);
  await eventually(() => guard?.findProblem() === undefined);
  expect((await takeMessages(runs, worker(3), 1)).map(({ subject }) => subject)).toEqual([subjects.runs(3, 'acme')]);
});
