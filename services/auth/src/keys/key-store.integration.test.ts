import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBucketCopy, openJetStream, purgeEntries } from '@millrace/bus';
import { keyRecordSchema } from '@millrace/contracts';
import { createApiKey, spellApiKey } from '@millrace/identity';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { addFirstKey } from './first-key.ts';
import { createCheck, openKeyCopy } from './key-copy.ts';
import { createKeyRecord } from './key-rules.ts';
import { openKeyStore } from './key-store.ts';

const nats = useNats();
const auth = useBus(nats, 'auth');
const createRecord = (tenant = 'acme') => createKeyRecord(tenant, { scopes: ['admin'] }, createApiKey(), Date.now());

async function openStore(more: { maxKeys?: number; prefix?: string; checkMs?: number } = {}) {
  const removed: string[] = [];
  const { prefix = `test-${crypto.randomUUID()}`, ...options } = more;
  const bus = await auth.connect({ prefix });
  const store = await openKeyStore(await openJetStream(bus), {
    replicas: 1,
    onRemoved: (id) => void removed.push(id),
    ...options,
  });
  onTestFinished(() => store.stop());
  return { store, removed, prefix, bus };
}

test('A tenant has at most a number of keys, and other tenants are not affected', async () => {
  const { store } = await openStore({ maxKeys: 2 });
  for (let n = 0; n < 2; n += 1) await store.add(createRecord());
  await expect(store.add(createRecord())).rejects.toMatchObject({ code: 'keys-full' });
  expect(await store.add(createRecord('other'))).toBe(true);
});

test('An id is used once, also after its key was removed', async () => {
  const { store } = await openStore();
  const record = createRecord();
  expect([await store.add(record), await store.add(record)]).toEqual([true, false]);
  await store.remove('acme', record.id);
  expect(await store.add(record)).toBe(false);
  expect(await store.find(record.id)).toBeUndefined();
});

test('The first key is registered at each start until it is revoked, and is revoked from then on', async () => {
  const { store } = await openStore();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-first-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'first.key');
  await writeFile(file, spellApiKey(createApiKey()));
  const { keyId, isRevoked } = await addFirstKey(store, file);
  expect([isRevoked, await addFirstKey(store, file)]).toEqual([false, { keyId, isRevoked: false }]);
  await store.remove('default', keyId);
  expect(await addFirstKey(store, file)).toEqual({ keyId, isRevoked: true });
});

test('Each replica reports a removal of another replica, and no removal from before its start', async () => {
  const first = await openStore();
  const record = createRecord();
  await first.store.add(record);
  const second = await openStore({ prefix: first.prefix });
  expect(await second.store.find(record.id)).toEqual(record);
  await first.store.remove('acme', record.id);
  await eventually(() => second.removed.includes(record.id));
  expect(await second.store.find(record.id)).toBeUndefined();
  const third = await openStore({ prefix: first.prefix });
  const later = createRecord();
  await first.store.add(later);
  await first.store.remove('acme', later.id);
  await eventually(() => third.removed.length > 0);
  expect(third.removed).toEqual([later.id]);
});

test('A reconnect reports the keys that disappeared without an announcement, and no other', async () => {
  const { store, removed, bus } = await openStore();
  const [gone, kept] = [createRecord(), createRecord()];
  for (const record of [gone, kept]) await store.add(record);
  // Watchers receive no removal of a purged entry.
  await purgeEntries(await openJetStream(bus), bus.names.keys, gone.id);
  expect(removed).toEqual([]);
  const before = bus.countConnections();
  await bus.nc.reconnect();
  await eventually(() => bus.countConnections() > before && removed.length > 0);
  await eventually(() => store.findProblem() === undefined);
  expect(removed).toEqual([gone.id]);
  expect(store.list('acme').map(({ id }) => id)).toEqual([kept.id]);
});

test('After the loss of its bucket the store creates it again, and reports the lost keys', async () => {
  const { store, removed, bus } = await openStore({ checkMs: 200 });
  const record = createRecord();
  await store.add(record);
  const { jsm } = await openJetStream(bus);
  await jsm.streams.delete(`KV_${bus.names.keys}`);
  await eventually(() => removed.includes(record.id), { timeoutMs: 20_000 });
  const next = createRecord();
  await eventually(() => store.add(next));
  expect(await store.find(next.id)).toEqual(next);
  expect(await store.find(record.id)).toBeUndefined();
});

test('A copy that has missed entries reads the bucket again', async () => {
  const { store, removed, bus } = await openStore({ checkMs: 100 });
  const record = createRecord();
  await store.add(record);
  const { jsm } = await openJetStream(bus);
  const stream = `KV_${bus.names.keys}`;
  // Without its consumer the watch receives nothing, and the client does not notice at once.
  for await (const { name } of jsm.consumers.list(stream)) await jsm.consumers.delete(stream, name);
  const other = await openStore({ prefix: bus.subjects.prefix });
  await other.store.remove('acme', record.id);
  await eventually(() => removed.includes(record.id));
  expect(await store.find(record.id)).toBeUndefined();
});

test('A new key that another replica has revoked before the answer of the bucket arrives is not kept', async () => {
  const { store, bus } = await openStore();
  const removed: string[] = [];
  const copy = await openKeyCopy(await openJetStream(bus), { replicas: 1, onRemoved: (id) => void removed.push(id) });
  onTestFinished(() => copy.stop());
  const record = createRecord();
  await store.add(record);
  const entry = await eventually(() => copy.get(record.id));
  await store.remove('acme', record.id);
  await eventually(() => removed.includes(record.id));
  copy.put(record.id, entry);
  expect(copy.get(record.id)).toBeUndefined();
  const later = { ...entry, revision: entry.revision + 100 };
  copy.put(record.id, later);
  expect(copy.get(record.id)).toEqual(later);
});

test('A purge of the whole bucket removes its keys from memory', async () => {
  const { store, removed, bus } = await openStore({ checkMs: 100 });
  const record = createRecord();
  await store.add(record);
  const { jsm } = await openJetStream(bus);
  await jsm.streams.purge(`KV_${bus.names.keys}`);
  await eventually(() => removed.includes(record.id));
  expect(await store.find(record.id)).toBeUndefined();
});

test.each([1, 2])(
  'A copy is not read again for newest entries that the server has removed (%i of 2)',
  async (count) => {
    const { store, bus } = await openStore();
    const access = await openJetStream(bus);
    for (let n = 0; n < 2; n += 1) await store.add(createRecord());
    for (let n = 0; n < count; n += 1) await access.jsm.streams.deleteMessage(`KV_${bus.names.keys}`, 2 - n);
    const copy = await openBucketCopy(access, bus.names.keys, keyRecordSchema);
    onTestFinished(() => copy.stop());
    expect(copy.list()).toHaveLength(2 - count);
    const check = createCheck(access, copy);
    expect([await check(), await check(), await check()]).toEqual([undefined, undefined, undefined]);
  },
);
