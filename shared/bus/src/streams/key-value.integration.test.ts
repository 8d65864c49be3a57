import { useBus, useNats, eventually } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deleteEntry, locateEntry, readEntry, writeEntry } from './key-value.ts';
import { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
import { ensureTopology } from '../queue/topology.ts';

const nats = useNats();
const owner = useBus(nats, 'owner');
const schema = z.object({ n: z.number() });
let access: JetStreamAccess;
let bucket: string;

beforeAll(async () => {
  access = await openJetStream(owner.bus);
  await ensureTopology(access);
  bucket = owner.bus.names.state;
});

const write = (key: string, n: number, expectedRevision: number, ttlSeconds?: number) =>
  writeEntry(access, bucket, key, { n }, { expectedRevision, ...(ttlSeconds !== undefined && { ttlSeconds }) });
const read = (key: string) => readEntry(access, bucket, key, schema);

test('A key-value entry that was never written is absent', async () => {
  expect(await read('head.acme.nobody')).toBeUndefined();
});

test('A key-value entry is read back with the revision for the next write', async () => {
  const first = await write('head.acme.a', 1, 0);
  expect(first).toEqual({ revision: expect.any(Number) });
  expect(await read('head.acme.a')).toEqual({ value: { n: 1 }, ...first });
  const second = await write('head.acme.a', 2, 'revision' in first ? first.revision : -1);
  expect(await read('head.acme.a')).toEqual({ value: { n: 2 }, ...second });
});

describe('compare and set of a key-value entry', () => {
  test('Revision 0 requires that the entry does not exist', async () => {
    expect(await write('head.acme.b', 1, 0)).toHaveProperty('revision');
    expect(await write('head.acme.b', 2, 0)).toEqual({ conflict: true });
    expect((await read('head.acme.b'))?.value).toEqual({ n: 1 });
  });

  test('An outdated revision is a conflict', async () => {
    await write('head.acme.c', 1, 0);
    expect(await write('head.acme.c', 2, 999_999)).toEqual({ conflict: true });
  });

  test('Of twenty concurrent writers one wins', async () => {
    const written = await Promise.all(Array.from({ length: 20 }, (_, n) => write('head.acme.race', n, 0)));
    expect(written.filter((result) => 'revision' in result)).toHaveLength(1);
  });

  test('Writes of other keys do not conflict', async () => {
    await write('head.acme.d', 1, 0);
    expect(await write('head.other.d', 1, 0)).toHaveProperty('revision');
  });
});

test('An entry with a time to live expires, and its key can be used again', async () => {
  await write('head.acme.ttl', 1, 0, 1);
  expect((await read('head.acme.ttl'))?.value).toEqual({ n: 1 });
  await eventually(async () => (await read('head.acme.ttl')) === undefined, { pollMs: 50 });
  // An expired entry leaves a marker: the next write must name its revision.
  const { revision } = await locateEntry(access, bucket, 'head.acme.ttl', schema);
  expect(revision).toBeGreaterThan(0);
  expect(await write('head.acme.ttl', 2, revision)).toHaveProperty('revision');
}, 10_000);

test('A missing bucket is an unavailable store, for reads and writes', async () => {
  const missing = { code: 'store-unavailable', remedy: expect.any(String) };
  await expect(readEntry(access, 'nosuch', 'a', schema)).rejects.toMatchObject(missing);
  await expect(writeEntry(access, 'nosuch', 'a', {}, {})).rejects.toMatchObject(missing);
});

test('An invalid entry is an error with its key', async () => {
  await writeEntry(access, bucket, 'head.acme.bad', { n: 'one' }, { expectedRevision: 0 });
  await expect(read('head.acme.bad')).rejects.toMatchObject({
    code: 'message-invalid',
    message: expect.stringContaining('head.acme.bad'),
  });
});

test('An oversized entry is rejected before it is sent', async () => {
  const text = 'x'.repeat(owner.bus.readMaxPayload());
  await expect(writeEntry(access, bucket, 'head.acme.big', { text }, { expectedRevision: 0 })).rejects.toMatchObject({
    code: 'message-too-large',
  });
});

describe('a deleted key-value entry', () => {
  const deleteKey = async (key: string) => {
    const written = await write(key, 1, 0);
    return deleteEntry(access, bucket, key, 'revision' in written ? written.revision : -1);
  };

  test('A deleted entry is absent', async () => {
    expect(await deleteKey('head.acme.gone')).toHaveProperty('revision');
    expect(await read('head.acme.gone')).toBeUndefined();
  });

  test('Deleting another revision is a conflict and keeps the entry', async () => {
    await write('head.acme.stays', 1, 0);
    expect(await deleteEntry(access, bucket, 'head.acme.stays', 999_999)).toEqual({ conflict: true });
    expect((await read('head.acme.stays'))?.value).toEqual({ n: 1 });
  });

  test('A deleted entry can only be written again with the revision of its tombstone', async () => {
    await deleteKey('head.acme.again');
    expect(await write('head.acme.again', 2, 0)).toEqual({ conflict: true });
    const { revision } = await locateEntry(access, bucket, 'head.acme.again', schema);
    expect(await write('head.acme.again', 3, revision)).toHaveProperty('revision');
    expect(await write('head.acme.again', 4, revision)).toEqual({ conflict: true });
    expect((await read('head.acme.again'))?.value).toEqual({ n: 3 });
  });
});
