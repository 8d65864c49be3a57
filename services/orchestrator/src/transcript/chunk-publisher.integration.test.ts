import {
  chunkBatchSchema,
  chunkSchema,
  liveBatchSchema,
  type Chunk,
  type ChunkBatch,
  type LiveBatch,
} from '@millrace/contracts';
import { listen } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { readStored } from '../streams/read-stored.ts';
import { delta } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { createChunkPublisher } from './chunk-publisher.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
let count = 0;

async function publisher({ epoch = 1, firstIndex = 0 } = {}) {
  const runId = `run-${count++}`;
  const { bus } = connection;
  const live: LiveBatch[] = [];
  const listening = listen(bus, bus.subjects.chunks('acme', 'operator', runId), liveBatchSchema, (batch) =>
    live.push(batch),
  );
  await bus.nc.flush();
  const chunks = createChunkPublisher({
    access: stream.access,
    tenant: 'acme',
    caller: 'operator',
    runId,
    epoch,
    firstIndex,
    deadlineAt: Date.now() + 60_000,
  });
  const subject = bus.subjects.runLog('acme', runId);
  const readLogged = () =>
    readStored(stream.access, { stream: bus.names.chunks(0), subject, schema: chunkBatchSchema });
  return { runId, chunks, live, logged: readLogged, stop: () => listening.stop() };
}
const words = (n: number, size = 1): Chunk[] => Array.from({ length: n }, (_, at) => delta(`${at}`.padEnd(size, '.')));
const all = (batches: readonly ChunkBatch[]) => batches.flatMap(({ chunks }) => chunks);
const isDense = (batches: readonly ChunkBatch[], from = 0) =>
  batches.reduce((next, { index, chunks }) => (index === next ? index + chunks.length : NaN), from);

describe('the last chunk', () => {
  test('is published live at its index, after all others, and is not logged', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish(words(2));
    await chunks.flush();
    chunks.publishLast({ type: 'abort', runId: 'r', from: 'AGENT', payload: { reason: 'cancelled' } });
    await eventually(() => all(live).length === 3);
    expect(isDense(live)).toBe(3);
    await chunks.flush();
    expect(all(await logged())).toHaveLength(2);
    stop();
  });

  test('is not published by a fenced owner', async () => {
    const { chunks, live, stop } = await publisher();
    chunks.close();
    chunks.publishLast({ type: 'abort', runId: 'r', from: 'AGENT', payload: { reason: 'cancelled' } });
    await connection.bus.nc.flush();
    expect(live).toEqual([]);
    stop();
  });
});

describe('the live subject', () => {
  test('receives the chunks of one turn in one message; indexes are dense from the first one on', async () => {
    const { chunks, live, stop } = await publisher({ epoch: 3, firstIndex: 12 });
    chunks.publish(words(2));
    chunks.publish(words(1));
    await new Promise((resolve) => setImmediate(resolve));
    chunks.publish(words(4));
    expect(chunks.getNextIndex()).toBe(19);
    await eventually(() => all(live).length === 7);
    expect(live.map(({ epoch, index, chunks: some }) => [epoch, index, some.length])).toEqual([
      [3, 12, 3],
      [3, 15, 4],
    ]);
    await chunks.flush();
    stop();
  });

  test('receives several messages, in order, if one cannot hold the chunks', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish(words(40, 20_000));
    await chunks.flush();
    await eventually(() => all(live).length === 40);
    expect(live.length).toBeGreaterThan(3);
    expect(isDense(live)).toBe(40);
    expect(all(live)).toEqual(words(40, 20_000));
    expect(all(await logged())).toEqual(words(40, 20_000));
    stop();
  });
});

describe('the chunk log', () => {
  test('has the same chunks, acked when flush resolves, in few messages', async () => {
    const { chunks, logged, stop } = await publisher();
    for (let n = 0; n < 50; n++) {
      chunks.publish(words(1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await chunks.flush();
    const batches = await logged();
    expect(isDense(batches)).toBe(50);
    expect(batches.length).toBeLessThan(10);
    stop();
  });

  test('receives gathered chunks after a while without a flush', async () => {
    const { chunks, logged, stop } = await publisher();
    chunks.publish(words(3));
    await eventually(async () => all(await logged()).length > 0);
    expect(all(await logged())).toEqual(words(3));
    stop();
  });

  test('has nothing to do if no chunk was published', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish([]);
    await chunks.flush();
    expect(live).toEqual([]);
    expect(await logged()).toEqual([]);
    stop();
  });
});

describe('a chunk that no message can hold', () => {
  test('is rejected by name; chunks that were published before it are not lost', async () => {
    const { chunks, logged, stop } = await publisher();
    const huge = delta('x'.repeat(connection.bus.readMaxPayload()));
    expect(() => chunks.publish([...words(2), huge])).toThrow(expect.objectContaining({ code: 'message-too-large' }));
    chunks.publish([delta('after')]);
    await chunks.flush();
    expect(isDense(await logged())).toBe(3);
    stop();
  });
});

describe('a closed publisher', () => {
  test('publishes nothing more, including gathered chunks, and its flush throws FencedError', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish(words(2));
    await chunks.flush();
    chunks.publish(words(1));
    chunks.close();
    chunks.publish(words(1));
    await expect(chunks.flush()).rejects.toThrow(FencedError);
    await connection.bus.nc.flush();
    expect(all(live)).toHaveLength(2);
    expect(all(await logged())).toHaveLength(2);
    stop();
  });
});

describe('a transient chunk', () => {
  const progress = (n: number) => chunkSchema.parse({ ...delta(''), type: 'data-progress', data: n, transient: true });

  test('is published live without an index, after the chunks before it, and is in no log', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish([delta('a'), progress(1), progress(2), delta('b'), progress(3)]);
    await chunks.flush();
    await eventually(() => live.length === 2);
    const told = live.map(({ index, chunks: some, transient = [] }) => [index, some.length, transient.length]);
    expect(told).toEqual([
      [0, 1, 2],
      [1, 1, 1],
    ]);
    expect(chunks.getNextIndex()).toBe(2);
    expect(all(await logged())).toEqual([delta('a'), delta('b')]);
    stop();
  });

  test('makes a message without chunks if it is alone, and the log stays empty', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish([progress(1)]);
    await chunks.flush();
    await eventually(() => live.length === 1);
    expect(live[0]).toMatchObject({ index: 0, chunks: [], transient: [{ data: 1 }] });
    expect(await logged()).toEqual([]);
    stop();
  });
});

test("the log keeps a chunk until ten minutes after its run’s deadline, whatever the stream's retention is", async () => {
  const { chunks, runId, stop } = await publisher();
  chunks.publish(words(1));
  await chunks.flush();
  const { access } = stream;
  const subject = access.bus.subjects.log('acme', runId, 'chunks');
  const message = await access.jsm.direct.getMessage(access.chooseLogStream('acme', runId), { last_by_subj: subject });
  expect(Number.parseInt(message?.header.get('Nats-TTL') ?? '', 10)).toBeOneOf([658, 659, 660, 661]);
  stop();
});

test('a retract has a message of its own, so that readers find it without the rest', async () => {
  const { runId, chunks, logged, stop } = await publisher();
  const retract = chunkSchema.parse({ ...delta(''), type: 'retract', payload: { index: 0 } });
  chunks.publish([...words(2), retract, ...words(1)]);
  await chunks.flush();
  expect((await logged()).map(({ index, chunks: some }) => [index, some.length])).toEqual([
    [0, 2],
    [2, 1],
    [3, 1],
  ]);
  const { bus } = connection;
  const only = bus.subjects.log('acme', runId, 'retract');
  expect(
    await readStored(stream.access, { stream: bus.names.chunks(0), subject: only, schema: chunkBatchSchema }),
  ).toMatchObject([{ index: 2 }]);
  stop();
});
