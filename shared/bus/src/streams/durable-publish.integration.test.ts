import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { publishDurably } from './durable-publish.ts';
import { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
import { ensureTopology } from '../queue/topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
let access: JetStreamAccess;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
  await ensureTopology(access);
});

const countStored = async () => (await access.jsm.streams.info(owner.bus.names.events)).state.messages;
const subject = () => owner.bus.subjects.events('0', 'acme', 'run1');

test('A durable publish that is repeated with its msgID is stored once, under one sequence', async () => {
  const before = await countStored();
  const first = await publishDurably(access, subject(), { n: 1 }, 'acme.run1.1');
  expect(await publishDurably(access, subject(), { n: 1 }, 'acme.run1.1')).toEqual({
    sequence: first.sequence,
    duplicate: true,
  });
  expect(await countStored()).toBe(before + 1);
});

test('A durable publish with another msgID is another message', async () => {
  const first = await publishDurably(access, subject(), { n: 2 }, 'acme.run1.2');
  expect(await publishDurably(access, subject(), { n: 2 }, 'acme.run1.3')).toEqual({
    sequence: first.sequence + 1,
    duplicate: false,
  });
});

test('A publish during an outage is stored once after it', async () => {
  const before = await countStored();
  await nats.kill();
  const publishing = publishDurably(access, subject(), { n: 4 }, 'acme.run1.4');
  await nats.start();
  await publishing;
  expect(await countStored()).toBe(before + 1);
});

test('An oversized durable publish is rejected at once', async () => {
  const text = 'x'.repeat(owner.bus.readMaxPayload());
  await expect(publishDurably(access, subject(), { text }, 'acme.run1.5')).rejects.toMatchObject({
    code: 'message-too-large',
  });
});

test('A durable publish does not wait for a closed connection', async () => {
  const bus = await owner.connect();
  const closing = await openJetStream(bus);
  await bus.close();
  await expect(publishDurably(closing, subject(), {}, 'acme.run1.6')).rejects.toMatchObject({
    code: 'bus-unreachable',
  });
});
