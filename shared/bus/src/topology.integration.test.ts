import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectBus } from './bus.ts';
import { ensureTopology, openJetStream, type JetStreamAccess } from './topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
let access: JetStreamAccess;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
});

test('several orchestrators that start at once make the streams, the queue and the buckets once', async () => {
  const others = await Promise.all([1, 2, 3].map(async () => openJetStream(await owner.connect())));
  await Promise.all([access, ...others].map((one) => ensureTopology(one)));
  const streams = await access.jsm.streams.list().next();
  const { runs, chunks, events, state, agents } = owner.bus.names;
  expect(streams.map((stream) => stream.config.name).toSorted()).toEqual(
    [runs, chunks, events, `KV_${state}`, `KV_${agents}`].toSorted(),
  );
});

describe('what is there is left alone', () => {
  test('with its messages', async () => {
    await access.js.publish(owner.bus.subjects.runs('acme'), '{}');
    await ensureTopology(access);
    expect((await access.jsm.streams.info(owner.bus.names.runs)).state.messages).toBe(1);
  });

  test('also where an operator has changed its limits', async () => {
    const { chunks } = owner.bus.names;
    const { config } = await access.jsm.streams.info(chunks);
    await access.jsm.streams.update(chunks, { ...config, max_bytes: 1_000_000 });
    await ensureTopology(access);
    expect((await access.jsm.streams.info(chunks)).config.max_bytes).toBe(1_000_000);
  });
});

test('another prefix has streams of its own', async () => {
  const bus = await owner.connect({ prefix: 'other.v1' });
  await ensureTopology(await openJetStream(bus));
  expect((await access.jsm.streams.info('other_v1_RUNS')).config.subjects).toEqual(['other.v1.runs.*']);
});

describe('a server without JetStream', () => {
  const plain = useNats({ extraConfig: 'accounts { A: { users: [ { user: a, password: a } ] } }\nno_auth_user: a' });

  test('is said so, with the remedy', async () => {
    const bus = await connectBus({ servers: plain.url, name: 'x', connectTimeoutMs: 2_000 });
    const opening = openJetStream(bus).then((opened) => ensureTopology(opened));
    await expect(opening).rejects.toMatchObject({
      code: 'bus-unreachable',
      remedy: expect.stringContaining('JetStream'),
    });
    await bus.close();
  });
});
