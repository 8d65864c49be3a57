import type { RunHead } from '@millrace/contracts';
import {
  ensureTopology,
  locateEntry,
  openJetStream,
  readEntry,
  deleteEntry,
  type JetStreamAccess,
} from '@millrace/bus';
import { recordSchema, stateKeys } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHead } from '../testing/run-heads.ts';
import { delta } from '../testing/chunks.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { readHead } from '../head/run-head.ts';
import { askCancel, isCancelAsked, openRunStore } from './run-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
let access: JetStreamAccess;
let count = 0;

beforeAll(async () => {
  access = await openJetStream(connection.bus);
  await ensureTopology(access);
});

const firstHead = () => createHead(`run-${count++}`);
async function openOne(head = firstHead(), revision = 0) {
  const store = await openRunStore(access, head, revision);
  if (!store) throw new Error('the run has another owner');
  return store;
}
const there = async ({ runId }: RunHead) => (await readHead(access, 'acme', runId))?.value;

/** JetStream that drops the ack of the given number of publishes after it has stored them. */
function deafFor(times: number): JetStreamAccess {
  let left = times;
  const publish: JetStreamAccess['js']['publish'] = async (...args) => {
    const acked = await access.js.publish(...args);
    if (left-- > 0) throw new Error('the acknowledgement was lost');
    return acked;
  };
  const js = new Proxy(access.js, { get: (js, key) => (key === 'publish' ? publish : Reflect.get(js, key)) });
  return { ...access, js };
}

describe('the head of a run', () => {
  test('is created once: a second creator does not own the run', async () => {
    const head = firstHead();
    await openOne(head);
    // Equal in every member, as two owners that begin at the same moment would write it.
    expect(await openRunStore(access, head, 0)).toBeUndefined();
    expect(await openRunStore(access, { ...head, command: 8 }, 0)).toBeUndefined();
  });

  test('counts its writes and keeps unchanged members', async () => {
    const store = await openOne();
    await store.write({ nextIndex: 5 });
    await store.write({ records: 1 });
    expect(await there(store.getHead())).toMatchObject(store.getHead());
    expect(store.getHead()).toMatchObject({ write: 2, nextIndex: 5, records: 1, epoch: 1 });
  });

  test('fences its owner if another one has written it', async () => {
    const first = await openOne();
    const head = first.getHead();
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    const second = await openOne({ ...head, epoch: 2 }, revision);
    await expect(first.write({ nextIndex: 9 })).rejects.toThrow(FencedError);
    await expect(first.write({ nextIndex: 9 })).rejects.toThrow(FencedError);
    await second.write({ nextIndex: 3 });
    expect(await there(head)).toMatchObject({ epoch: 2, nextIndex: 3 });
  });

  test('has one owner if two take it over at once', async () => {
    const head = (await openOne()).getHead();
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    const taken = { ...head, epoch: 2 };
    const owners = await Promise.all([1, 2, 3].map(() => openRunStore(access, taken, revision)));
    expect(owners.filter((owner) => owner !== undefined)).toHaveLength(1);
  });

  test('is read back if an ack was lost: the writer continues if the write is its own', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(3), head, 0);
    expect(store?.getHead()).toEqual(head);
    await store?.write({ nextIndex: 4 });
    expect(await there(head)).toMatchObject({ write: 1, nextIndex: 4 });
  });

  test('fences the writer if another owner wrote it while an ack was lost', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(0), head, 0);
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    await openOne({ ...head, epoch: 2 }, revision);
    await expect(store?.write({ nextIndex: 4 })).rejects.toThrow(FencedError);
    expect(await there(head)).toMatchObject({ epoch: 2, write: 0 });
  });

  test('is rejected at once, by name, if no message can hold it', async () => {
    const store = await openOne();
    const tooLarge = 'x'.repeat(connection.bus.readMaxPayload());
    const result = { runId: store.getHead().runId, status: 'finished' as const, text: tooLarge, finishReason: 'stop' };
    await expect(
      store.keepEnd({
        result: { ...result, usage: {}, messages: [], steps: [], violations: [] },
        lastChunk: delta(''),
      }),
    ).rejects.toMatchObject({ code: 'message-too-large' });
    await store.write({ nextIndex: 1 });
    expect(await there(store.getHead())).toMatchObject({ write: 1, nextIndex: 1 });
  });
});

const written = { count: 1, cancelAsked: false };

describe('a record of a run', () => {
  const readOneRecord = async ({ runId }: RunHead, name: string) =>
    (await readEntry(access, connection.bus.names.state, stateKeys.record('acme', runId, name), recordSchema))?.value;

  test('is written once, under its epoch and number', async () => {
    const store = await openOne();
    expect(await store.record([{ action: 'input-passed' }])).toEqual(written);
    await store.write({ records: 1 });
    expect(await store.record([{ action: 'model-called' }])).toEqual(written);
    expect(await readOneRecord(store.getHead(), '1-0')).toMatchObject({
      epoch: 1,
      actions: [{ action: 'input-passed' }],
    });
    expect(await readOneRecord(store.getHead(), '1-1')).toMatchObject({
      epoch: 1,
      actions: [{ action: 'model-called' }],
    });
  });

  test('is not written twice if an ack was lost', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(2), head, 0);
    await store?.record([{ action: 'input-passed' }]);
    expect(await readOneRecord(head, '1-0')).toMatchObject({ epoch: 1, actions: [{ action: 'input-passed' }] });
  });
});

describe('a lost state of a run', () => {
  const forget = async ({ runId }: RunHead) => {
    const revision = (await readHead(access, 'acme', runId))?.revision ?? 0;
    await deleteEntry(access, connection.bus.names.state, stateKeys.head('acme', runId), revision);
  };

  test('is reported to the owner by a code: the owner is not fenced', async () => {
    const store = await openOne();
    await forget(store.getHead());
    await expect(store.write({ nextIndex: 1 })).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  test('is recreated by the ending, because no other owner would write one', async () => {
    const store = await openOne();
    await forget(store.getHead());
    await store.write({ status: 'failed' }, true);
    expect(await there(store.getHead())).toMatchObject({ status: 'failed' });
  });
});

describe('a requested cancel', () => {
  test('is visible to the owner, once requested, however often', async () => {
    const store = await openOne();
    expect(await isCancelAsked(access, 'acme', store.getHead().runId)).toBe(false);
    await askCancel(access, 'acme', store.getHead().runId);
    await askCancel(access, 'acme', store.getHead().runId);
    expect(await isCancelAsked(access, 'acme', store.getHead().runId)).toBe(true);
  });

  test("is reported with the owner's next record, which is written all the same", async () => {
    const store = await openOne();
    await store.record([{ action: 'input-passed' }]);
    await store.write({ records: 1 });
    await askCancel(access, 'acme', store.getHead().runId);
    expect(await store.record([{ action: 'model-called' }])).toEqual({ count: 1, cancelAsked: true });
    const { records } = store.getHead();
    const key = stateKeys.record('acme', store.getHead().runId, `1-${records}`);
    const there = await readEntry(access, connection.bus.names.state, key, recordSchema);
    expect(there?.value.actions).toEqual([{ action: 'model-called' }]);
  });

  test('of an earlier run with the same id, expired since, is not reported', async () => {
    const store = await openOne();
    const { runId } = store.getHead();
    await askCancel(access, 'acme', runId);
    const cancelKey = stateKeys.cancel('acme', runId);
    const { revision } = await locateEntry(access, connection.bus.names.state, cancelKey, z.unknown());
    await deleteEntry(access, connection.bus.names.state, cancelKey, revision);
    expect(await store.record([{ action: 'input-passed' }])).toEqual(written);
  });

  test('before the run has begun is visible when it begins', async () => {
    const head = firstHead();
    await askCancel(access, 'acme', head.runId);
    await openOne(head);
    expect(await isCancelAsked(access, 'acme', head.runId)).toBe(true);
    expect(await isCancelAsked(access, 'acme', (await openOne()).getHead().runId)).toBe(false);
  });
});

describe('an outage of the server', () => {
  test('is waited for: the write is stored when the server is available again', async () => {
    const store = await openOne();
    await nats.stop();
    const writing = store.write({ nextIndex: 6 });
    const recording = store.record([{ action: 'input-passed' }]);
    const asking = isCancelAsked(access, 'acme', store.getHead().runId);
    await nats.start();
    expect(await Promise.all([writing, recording, asking])).toEqual([undefined, written, false]);
    expect(await there(store.getHead())).toMatchObject({ write: 1, nextIndex: 6 });
  }, 40_000);
});
