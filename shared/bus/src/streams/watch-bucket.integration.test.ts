import { eventually, useBus, useNats, createCollectedLog } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { deleteEntry, readEntry, writeEntry } from './key-value.ts';
import { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
import { ensureTopology } from '../queue/topology.ts';
import { watchBucket } from './watch-bucket.ts';

const nats = useNats();
const log = createCollectedLog();
const owner = useBus(nats, 'owner', { log });
const schema = z.object({ n: z.number() });
let access: JetStreamAccess;
let bucket: string;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
  await ensureTopology(access);
  bucket = owner.bus.names.agents;
});

const write = async (key: string, value: unknown) => {
  const { revision = 0 } = (await readEntry(access, bucket, key, z.unknown())) ?? {};
  return writeEntry(access, bucket, key, value, { expectedRevision: revision });
};
const watchEntries = async () => {
  const entries = new Map<string, number>();
  const stop = await watchBucket(access, bucket, schema, {
    put: (key, { value }) => entries.set(key, value.n),
    onRemoved: (key) => entries.delete(key),
  });
  return { entries, stop };
};

test('A watched bucket has passed all existing entries when it is open, for any number of them', async () => {
  const empty = await watchEntries();
  expect([...empty.entries]).toEqual([]);
  empty.stop();
  for (let n = 0; n < 50; n++) await write(`many.${n % 25}`, { n });
  const { entries, stop } = await watchEntries();
  expect(entries.size).toBe(25);
  stop();
  for (const key of entries.keys()) {
    const { revision = 0 } = (await readEntry(access, bucket, key, z.unknown())) ?? {};
    await deleteEntry(access, bucket, key, revision);
  }
  const started = performance.now();
  const emptied = await watchEntries();
  expect([...emptied.entries]).toEqual([]);
  expect(performance.now() - started).toBeLessThan(4_000);
  emptied.stop();
});

test('A watched bucket passes existing entries, then every change; invalid ones are logged and skipped', async () => {
  await write('acme.before', { n: 1 });
  const { entries, stop } = await watchEntries();
  await eventually(() => entries.get('acme.before') === 1);
  await write('acme.before', { n: 2 });
  await write('acme.wrong', { n: 'three' });
  await write('acme.behind', { n: 4 });
  await eventually(() => entries.get('acme.behind') === 4);
  expect([...entries]).toEqual([
    ['acme.before', 2],
    ['acme.behind', 4],
  ]);
  expect(log.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ key: 'acme.wrong' }) }),
  );
  stop();
});

test('A watched bucket continues after an outage of the server and misses nothing', async () => {
  const { entries, stop } = await watchEntries();
  await eventually(() => entries.size > 0);
  await nats.kill();
  await eventually(() => !owner.bus.hasConnection());
  await nats.start();
  await eventually(() => owner.bus.hasConnection());
  await eventually(() => write('acme.later', { n: 5 }).catch(() => false), { timeoutMs: 15_000 });
  await eventually(() => entries.get('acme.later') === 5, { timeoutMs: 15_000 });
  expect(entries.get('acme.later')).toBe(5);
  stop();
});
