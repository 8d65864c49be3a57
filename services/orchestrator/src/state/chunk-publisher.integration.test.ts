import { chunkBatchSchema, type Chunk, type ChunkBatch } from '@millrace/contracts';
import { listen } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { readStored } from '../api/read-stored.ts';
import { delta } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { SHARD, createChunkPublisher } from './chunk-publisher.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
let count = 0;

async function publisher({ epoch = 1, firstIndex = 0 } = {}) {
  const runId = `run-${count++}`;
  const { bus } = connection;
  const live: ChunkBatch[] = [];
  const listening = listen(bus, bus.subjects.chunks('acme', runId), chunkBatchSchema, (batch) => live.push(batch));
  await bus.nc.flush();
  const chunks = createChunkPublisher({ access: stream.access, tenant: 'acme', runId, epoch, firstIndex });
  const subject = bus.subjects.log(SHARD, 'acme', runId);
  const logged = () => readStored(stream.access, bus.names.chunks, subject, chunkBatchSchema);
  return { runId, chunks, live, logged, stop: () => listening.stop() };
}
const words = (n: number, size = 1): Chunk[] => Array.from({ length: n }, (_, at) => delta(`${at}`.padEnd(size, '.')));
const all = (batches: readonly ChunkBatch[]) => batches.flatMap(({ chunks }) => chunks);
const isDense = (batches: readonly ChunkBatch[], from = 0) =>
  batches.reduce((next, { index, chunks }) => (index === next ? index + chunks.length : NaN), from);

describe('live', () => {
  test('what is published in one turn is one message; indexes are dense from the first one on', async () => {
    const { chunks, live, stop } = await publisher({ epoch: 3, firstIndex: 12 });
    chunks.publish(words(2));
    chunks.publish(words(1));
    await new Promise((resolve) => setImmediate(resolve));
    chunks.publish(words(4));
    expect(chunks.nextIndex()).toBe(19);
    await eventually(() => all(live).length === 7);
    expect(live.map(({ epoch, index, chunks: some }) => [epoch, index, some.length])).toEqual([
      [3, 12, 3],
      [3, 15, 4],
    ]);
    await chunks.flush();
    stop();
  });

  test('what is too much for one message is several, in order', async () => {
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

describe('the log', () => {
  test('has the same chunks, acknowledged when flush resolves, in few messages', async () => {
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

  test('gets what was gathered after a while, without a flush', async () => {
    const { chunks, logged, stop } = await publisher();
    chunks.publish(words(3));
    await eventually(async () => all(await logged()).length > 0);
    expect(all(await logged())).toEqual(words(3));
    stop();
  });

  test('has nothing to do where nothing was published', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish([]);
    await chunks.flush();
    expect(live).toEqual([]);
    expect(await logged()).toEqual([]);
    stop();
  });
});

describe('a chunk that no message can hold', () => {
  test('is refused by name; what was published before it is not lost', async () => {
    const { chunks, logged, stop } = await publisher();
    const huge = delta('x'.repeat(connection.bus.maxPayload()));
    expect(() => chunks.publish([...words(2), huge])).toThrow(expect.objectContaining({ code: 'message-too-large' }));
    chunks.publish([delta('after')]);
    await chunks.flush();
    expect(isDense(await logged())).toBe(3);
    stop();
  });
});

describe('closed', () => {
  test('it says nothing more: a fenced owner is silent, also with what it had gathered', async () => {
    const { chunks, live, logged, stop } = await publisher();
    chunks.publish(words(2));
    await chunks.flush();
    chunks.publish(words(1));
    chunks.close();
    chunks.publish(words(1));
    await chunks.flush();
    await connection.bus.nc.flush();
    expect(all(live)).toHaveLength(2);
    expect(all(await logged())).toHaveLength(2);
    stop();
  });
});
