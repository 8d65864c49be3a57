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
import { headOf } from '../testing/run-heads.ts';
import { delta } from '../testing/chunks.ts';
import { FencedError } from './fenced-error.ts';
import { readHead } from './run-head.ts';
import { askCancel, isCancelAsked, openRunStore } from './run-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
let access: JetStreamAccess;
let count = 0;

beforeAll(async () => {
  access = await openJetStream(connection.bus);
  await ensureTopology(access);
});

const firstHead = () => headOf(`run-${count++}`);
async function opened(head = firstHead(), revision = 0) {
  const store = await openRunStore(access, head, revision);
  if (!store) throw new Error('the run has another owner');
  return store;
}
const there = async ({ runId }: RunHead) => (await readHead(access, 'acme', runId))?.value;

/** JetStream whose publishes are done and not answered, for the given number of times. */
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
  test('is created once: who comes second does not own the run', async () => {
    const head = firstHead();
    await opened(head);
    // The same in every word, as two that begin at the same moment would write it.
    expect(await openRunStore(access, head, 0)).toBeUndefined();
    expect(await openRunStore(access, { ...head, command: 8 }, 0)).toBeUndefined();
  });

  test('counts its writes, and keeps what a write does not change', async () => {
    const store = await opened();
    await store.write({ nextIndex: 5 });
    await store.write({ records: 1 });
    expect(await there(store.head())).toMatchObject(store.head());
    expect(store.head()).toMatchObject({ write: 2, nextIndex: 5, records: 1, epoch: 1 });
  });

  test('written under its owner fences it', async () => {
    const first = await opened();
    const head = first.head();
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    const second = await opened({ ...head, epoch: 2 }, revision);
    await expect(first.write({ nextIndex: 9 })).rejects.toThrow(FencedError);
    await expect(first.write({ nextIndex: 9 })).rejects.toThrow(FencedError);
    await second.write({ nextIndex: 3 });
    expect(await there(head)).toMatchObject({ epoch: 2, nextIndex: 3 });
  });

  test('taken over by two at once is owned by one', async () => {
    const head = (await opened()).head();
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    const taken = { ...head, epoch: 2 };
    const owners = await Promise.all([1, 2, 3].map(() => openRunStore(access, taken, revision)));
    expect(owners.filter((owner) => owner !== undefined)).toHaveLength(1);
  });

  test('whose acknowledgement was lost is read back: its own write means go on', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(3), head, 0);
    expect(store?.head()).toEqual(head);
    await store?.write({ nextIndex: 4 });
    expect(await there(head)).toMatchObject({ write: 1, nextIndex: 4 });
  });

  test('that somebody else wrote while an acknowledgement was lost fences', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(0), head, 0);
    const revision = (await readHead(access, 'acme', head.runId))?.revision ?? 0;
    await opened({ ...head, epoch: 2 }, revision);
    await expect(store?.write({ nextIndex: 4 })).rejects.toThrow(FencedError);
    expect(await there(head)).toMatchObject({ epoch: 2, write: 0 });
  });

  test('that no message can hold is refused at once, by name', async () => {
    const store = await opened();
    const tooLarge = 'x'.repeat(connection.bus.maxPayload());
    const result = { runId: store.head().runId, status: 'finished' as const, text: tooLarge, finishReason: 'stop' };
    await expect(
      store.keepEnd({
        result: { ...result, usage: {}, messages: [], steps: [], violations: [] },
        lastChunk: delta(''),
      }),
    ).rejects.toMatchObject({ code: 'message-too-large' });
    await store.write({ nextIndex: 1 });
    expect(await there(store.head())).toMatchObject({ write: 1, nextIndex: 1 });
  });
});

const written = { count: 1, cancelAsked: false };

describe('a record of a run', () => {
  const recordOf = async ({ runId }: RunHead, name: string) =>
    (await readEntry(access, connection.bus.names.state, stateKeys.record('acme', runId, name), recordSchema))?.value;

  test('is written once, under its epoch and number', async () => {
    const store = await opened();
    expect(await store.record([{ action: 'input-passed' }])).toEqual(written);
    await store.write({ records: 1 });
    expect(await store.record([{ action: 'model-called' }])).toEqual(written);
    expect(await recordOf(store.head(), '1-0')).toMatchObject({ epoch: 1, actions: [{ action: 'input-passed' }] });
    expect(await recordOf(store.head(), '1-1')).toMatchObject({ epoch: 1, actions: [{ action: 'model-called' }] });
  });

  test('whose acknowledgement was lost is not written twice', async () => {
    const head = firstHead();
    const store = await openRunStore(deafFor(2), head, 0);
    await store?.record([{ action: 'input-passed' }]);
    expect(await recordOf(head, '1-0')).toMatchObject({ epoch: 1, actions: [{ action: 'input-passed' }] });
  });
});

describe('a run’s state that is gone', () => {
  const forget = async ({ runId }: RunHead) => {
    const revision = (await readHead(access, 'acme', runId))?.revision ?? 0;
    await deleteEntry(access, connection.bus.names.state, stateKeys.head('acme', runId), revision);
  };

  test('is said to the owner by a code: it has not been fenced', async () => {
    const store = await opened();
    await forget(store.head());
    await expect(store.write({ nextIndex: 1 })).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  test('is made anew by the ending: nobody else would write one', async () => {
    const store = await opened();
    await forget(store.head());
    await store.write({ status: 'failed' }, true);
    expect(await there(store.head())).toMatchObject({ status: 'failed' });
  });
});

describe('a cancel that is asked for', () => {
  test('is seen by the owner, once asked, however often', async () => {
    const store = await opened();
    expect(await isCancelAsked(access, 'acme', store.head().runId)).toBe(false);
    await askCancel(access, 'acme', store.head().runId);
    await askCancel(access, 'acme', store.head().runId);
    expect(await isCancelAsked(access, 'acme', store.head().runId)).toBe(true);
  });

  test('is told to the owner with its next record, which is written all the same', async () => {
    const store = await opened();
    await store.record([{ action: 'input-passed' }]);
    await store.write({ records: 1 });
    await askCancel(access, 'acme', store.head().runId);
    expect(await store.record([{ action: 'model-called' }])).toEqual({ count: 1, cancelAsked: true });
    const { records } = store.head();
    const key = stateKeys.record('acme', store.head().runId, `1-${records}`);
    const there = await readEntry(access, connection.bus.names.state, key, recordSchema);
    expect(there?.value.actions).toEqual([{ action: 'model-called' }]);
  });

  test('of an earlier run of the id, forgotten since, is not told', async () => {
    const store = await opened();
    const { runId } = store.head();
    await askCancel(access, 'acme', runId);
    const cancelKey = stateKeys.cancel('acme', runId);
    const { revision } = await locateEntry(access, connection.bus.names.state, cancelKey, z.unknown());
    await deleteEntry(access, connection.bus.names.state, cancelKey, revision);
    expect(await store.record([{ action: 'input-passed' }])).toEqual(written);
  });

  test('before the run has begun is seen when it begins', async () => {
    const head = firstHead();
    await askCancel(access, 'acme', head.runId);
    await opened(head);
    expect(await isCancelAsked(access, 'acme', head.runId)).toBe(true);
    expect(await isCancelAsked(access, 'acme', (await opened()).head().runId)).toBe(false);
  });
});

describe('an outage of the server', () => {
  test('is waited for: the write is there when the server is back', async () => {
    const store = await opened();
    await nats.stop();
    const writing = store.write({ nextIndex: 6 });
    const recording = store.record([{ action: 'input-passed' }]);
    const asking = isCancelAsked(access, 'acme', store.head().runId);
    await nats.start();
    expect(await Promise.all([writing, recording, asking])).toEqual([undefined, written, false]);
    expect(await there(store.head())).toMatchObject({ write: 1, nextIndex: 6 });
  }, 40_000);
});
