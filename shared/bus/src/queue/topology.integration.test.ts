import { timings } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectBus } from '../core/bus.ts';
import { AckPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { openJetStream, type JetStreamAccess } from '../streams/jetstream-access.ts';
import { MAX_QUEUED_RUNS, ensureTopology } from './topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
let access: JetStreamAccess;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
});

test('Several orchestrators that start concurrently create the streams, the queue and the buckets once', async () => {
  const others = await Promise.all([1, 2, 3].map(async () => openJetStream(await owner.connect())));
  await Promise.all([access, ...others].map((one) => ensureTopology(one)));
  const streams = await access.jsm.streams.list().next();
  const { runs, timers, chunks, events, changes, state, agents, saves, erasures, circuits, budgets } = owner.bus.names;
  expect(streams.map((stream) => stream.config.name).toSorted()).toEqual(
    [
      runs,
      timers,
      chunks(0),
      events,
      changes,
      `KV_${state}`,
      `KV_${agents}`,
      `KV_${saves}`,
      `KV_${erasures}`,
      `KV_${circuits}`,
      `KV_${budgets}`,
    ].toSorted(),
  );
});

describe('a stream or bucket of an older version', () => {
  test('A stream, the consumer of the queue or a bucket of an older version is updated if the server allows it', async () => {
    const bus = await owner.connect({ prefix: 'old.v1' });
    const old = await openJetStream(bus);
    const { runs, worker, state } = bus.names;
    await old.jsm.streams.add({
      name: runs,
      subjects: [bus.subjects.unshardedRuns],
      retention: RetentionPolicy.Workqueue,
    });
    await old.jsm.consumers.add(runs, { durable_name: worker(), ack_policy: AckPolicy.Explicit, ack_wait: 10e9 });
    await old.js.publish('old.v1.runs.acme', '{}');
    await new Kvm(bus.nc).create(state, { history: 5 });
    await ensureTopology(old);
    expect((await old.jsm.streams.info(runs)).config).toMatchObject({
      discard: 'new',
      discard_new_per_subject: true,
      max_msgs_per_subject: MAX_QUEUED_RUNS,
    });
    // More than the retries and the interval between two extensions.
    const heldMs = timings.outageMs + timings.ackExtendMs;
    expect((await old.jsm.consumers.info(runs, worker())).config.ack_wait).toBeGreaterThan(heldMs * 1e6);
    // The commands of that version are still delivered, and those of each shard by its own consumer.
    expect(await old.jsm.consumers.info(runs, worker())).toMatchObject({
      num_pending: 1,
      config: { filter_subject: 'old.v1.runs.*' },
    });
    expect((await old.jsm.consumers.info(runs, worker(15))).config.filter_subject).toBe('old.v1.runs.15.*');
    const bucket = (await old.jsm.streams.info(`KV_${state}`)).config;
    expect(bucket).toMatchObject({ max_msgs_per_subject: 1, allow_msg_ttl: true });
    expect(bucket.subject_delete_marker_ttl).toBeGreaterThan(0);
  });

  test('An incompatible stream or bucket of an older version is rejected with both values', async () => {
    const bus = await owner.connect({ prefix: 'stuck.v1' });
    const old = await openJetStream(bus);
    const { runs } = bus.names;
    await old.jsm.streams.add({ name: runs, subjects: [bus.subjects.allRuns], storage: StorageType.Memory });
    await expect(ensureTopology(old)).rejects.toMatchObject({
      code: 'stream-mismatch',
      message: expect.stringMatching(/storage is "memory", and should be "file"/),
      remedy: expect.any(String),
    });
  });
});

test('The first start sets the number of streams of the chunk log, and no shard is in two of them', async () => {
  const bus = await owner.connect({ prefix: 'wide.v1' });
  const wide = await openJetStream(bus, { logStreams: 4 });
  await ensureTopology(wide);
  const subjects = await Promise.all(
    [0, 1, 2, 3].map(async (at) => (await wide.jsm.streams.info(bus.names.chunks(at))).config.subjects),
  );
  expect(subjects.flat().toSorted()).toEqual(Array.from({ length: 16 }, (_, at) => `wide.v1.log.${at}.>`).toSorted());
  for (const run of ['r1', 'r2', 'r3', 'r4', 'r5']) {
    const { stream } = await wide.js.publish(bus.subjects.log('acme', run, 'chunks'), '{}');
    expect(stream).toBe(wide.chooseLogStream('acme', run));
  }
});

describe('the number of streams of the chunk log', () => {
  test.each([1, 3, 5, 11, 16])('A start without a configured number reads %i', async (logStreams) => {
    const bus = await owner.connect({ prefix: `log${logStreams}.v1` });
    await ensureTopology(await openJetStream(bus, { logStreams }));
    const next = await openJetStream(bus);
    await ensureTopology(next);
    expect(next.logStreams).toBe(logStreams);
  });

  test('Another number in a later start is rejected with both values, and every stream keeps its subjects', async () => {
    const bus = await owner.connect({ prefix: 'fixed.v1' });
    await ensureTopology(await openJetStream(bus));
    await expect(openJetStream(bus, { logStreams: 4 })).rejects.toMatchObject({
      code: 'stream-mismatch',
      path: 'LOG_STREAMS',
      message: 'LOG_STREAMS is 4, and the chunk log of this system is in 1 stream.',
    });
    expect((await access.jsm.streams.info(bus.names.chunks(0))).config.subjects).toEqual(['fixed.v1.log.>']);
  });

  test('Of two concurrent first starts with different numbers one wins', async () => {
    const bus = await owner.connect({ prefix: 'race.v1' });
    const opened = await Promise.all([1, 4].map((logStreams) => openJetStream(bus, { logStreams })));
    const ends = await Promise.allSettled(opened.map((one) => ensureTopology(one)));
    expect(ends.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(1);
  });
});

describe('two prefixes with the same stream names', () => {
  const openWithPrefix = async (prefix: string) => openJetStream(await owner.connect({ prefix }));

  test('The second prefix is rejected with both names, and the running system keeps its subjects', async () => {
    const running = await openWithPrefix('mr.twin');
    await ensureTopology(running);
    await expect(openWithPrefix('mr_twin').then((other) => ensureTopology(other))).rejects.toMatchObject({
      code: 'stream-mismatch',
      path: 'MILLRACE_PREFIX',
      message: 'Stream mr_twin_RUNS belongs to the prefix "mr.twin", not to "mr_twin".',
    });
    const { runs } = running.bus.names;
    expect((await access.jsm.streams.info(runs)).config.subjects).toEqual(['mr.twin.runs.*', 'mr.twin.runs.*.*']);
  });

  test('The second prefix is rejected by its subjects if the running system has not stored its prefix, and its own start stores it', async () => {
    const running = await openWithPrefix('mr.elder');
    const { runs } = running.bus.names;
    const subjects = ['mr.elder.runs.*'];
    await access.jsm.streams.add({ name: runs, subjects, retention: RetentionPolicy.Workqueue });
    const other = await openWithPrefix('mr_elder');
    await expect(ensureTopology(other)).rejects.toMatchObject({
      code: 'stream-mismatch',
      message: expect.stringMatching(/subjects is .*mr\.elder\.runs.* should be .*mr_elder\.runs/),
    });
    await ensureTopology(running);
    expect((await access.jsm.streams.info(runs)).config.metadata).toMatchObject({ millrace_prefix: 'mr.elder' });
    await expect(ensureTopology(other)).rejects.toMatchObject({ path: 'MILLRACE_PREFIX' });
  });
});

describe('an existing stream', () => {
  test('An existing stream keeps its messages', async () => {
    await access.js.publish(owner.bus.subjects.runs(3, 'acme'), '{}');
    await ensureTopology(access);
    expect((await access.jsm.streams.info(owner.bus.names.runs)).state.messages).toBe(1);
  });

  test('An existing stream keeps limits that an operator has changed', async () => {
    const chunks = owner.bus.names.chunks(0);
    const { config } = await access.jsm.streams.info(chunks);
    await access.jsm.streams.update(chunks, { ...config, max_bytes: 1_000_000 });
    await ensureTopology(access);
    expect((await access.jsm.streams.info(chunks)).config.max_bytes).toBe(1_000_000);
  });
});

/** A store of this size in a directory of its own: a second `jetstream` block replaces the first one. */
function buildStoreConfig(size: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-sized-'));
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return `jetstream { store_dir: ${JSON.stringify(dir)}, max_file_store: ${size} }`;
}

describe('the limits of streams in bytes', () => {
  const large = useNats({ extraConfig: buildStoreConfig('100GB') });
  const largeOwner = useBus(large, 'large');
  const limits = async ({ bus, jsm }: JetStreamAccess) => {
    const { runs, chunks, events, state } = bus.names;
    const infos = await Promise.all([runs, chunks(0), events, `KV_${state}`].map((name) => jsm.streams.info(name)));
    return infos.map(({ config }) => [config.max_bytes > 0, config.discard]);
  };

  test('Limits are added to streams of an older version; the queue, the log and the state reject, and events discard the oldest', async () => {
    const elder = await openJetStream(await largeOwner.connect({ prefix: 'elder.v1' }));
    const { names, subjects } = elder.bus;
    await elder.jsm.streams.add({ name: names.chunks(0), subjects: [subjects.logs], allow_msg_ttl: true });
    await elder.js.publish('elder.v1.log.3.acme.r1.chunks', '{}');
    await ensureTopology(elder);
    expect(await limits(elder)).toEqual([
      [true, 'new'],
      [true, 'new'],
      [true, 'old'],
      [false, 'new'],
    ]);
    expect((await elder.jsm.streams.info(names.chunks(0))).state.messages).toBe(1);
  });

  test('Limits remain as configured until others are configured', async () => {
    const own = await openJetStream(await largeOwner.connect({ prefix: 'own.v1' }), { logStreams: 2 });
    await ensureTopology(own, { maxBytes: { log: 4_000_000 } });
    await ensureTopology(own);
    const log = () => own.jsm.streams.info(own.bus.names.chunks(1));
    expect((await log()).config.max_bytes).toBe(2_000_000);
    await ensureTopology(own, { maxBytes: { log: 6_000_000 } });
    expect((await log()).config.max_bytes).toBe(3_000_000);
  });

  const medium = useNats({ extraConfig: buildStoreConfig('5000MB') });
  const mediumOwner = useBus(medium, 'medium');
  test('Default limits leave three quarters of the storage to other streams', async () => {
    const opened = await openJetStream(mediumOwner.bus);
    await ensureTopology(opened);
    const { runs, chunks, events } = mediumOwner.bus.names;
    const infos = await Promise.all([runs, chunks(0), events].map((name) => opened.jsm.streams.info(name)));
    expect(infos.map(({ config }) => config.max_bytes)).toEqual([1024 ** 3, -1, -1]);
  });

  const small = useNats({ extraConfig: buildStoreConfig('192MB') });
  const smallOwner = useBus(small, 'small');
  test('Default limits are omitted on a server without the storage for them, and configured ones are rejected', async () => {
    const opened = await openJetStream(smallOwner.bus);
    await ensureTopology(opened);
    const { runs, chunks, events } = smallOwner.bus.names;
    const infos = await Promise.all([runs, chunks(0), events].map((name) => opened.jsm.streams.info(name)));
    expect(infos.map(({ config }) => config.max_bytes)).toEqual([-1, -1, -1]);
    await expect(ensureTopology(opened, { maxBytes: { log: 4_000_000_000 } })).rejects.toMatchObject({
      code: 'stream-mismatch',
      message: expect.stringContaining('max_bytes is -1, and should be 4000000000'),
      remedy: expect.stringContaining('insufficient storage'),
    });
  });
});

test('A Millrace with another prefix has streams of its own', async () => {
  const bus = await owner.connect({ prefix: 'other.v1' });
  await ensureTopology(await openJetStream(bus));
  expect((await access.jsm.streams.info('other_v1_RUNS')).config.subjects).toEqual([
    'other.v1.runs.*',
    'other.v1.runs.*.*',
  ]);
});

describe('a server without JetStream', () => {
  const plain = useNats({ extraConfig: 'accounts { A: { users: [ { user: a, password: a } ] } }\nno_auth_user: a' });

  test('A server without JetStream is an error with the remedy', async () => {
    const bus = await connectBus({ servers: plain.url, name: 'x', connectTimeoutMs: 2_000 });
    const opening = openJetStream(bus).then((opened) => ensureTopology(opened));
    await expect(opening).rejects.toMatchObject({
      code: 'bus-unreachable',
      remedy: expect.stringContaining('JetStream'),
    });
    await bus.close();
  });
});
