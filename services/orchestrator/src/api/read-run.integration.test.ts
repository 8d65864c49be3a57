// Reading a run back from real streams: no, few, exactly a page of, and very many messages.
import { stateKeys, type ChunkBatch, type Position } from '@millrace/contracts';
import { purgeEntries, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createFailedRun } from '../state/failed-run.ts';
import { delta } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { countSubscriptions } from '../testing/subscriptions.ts';
import { readChunks } from './read-run.ts';
import { readStored } from '../streams/read-stored.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const start = { epoch: 1, index: 0, firstRecord: 0 };

async function store(runId: string, batches: readonly ChunkBatch[]): Promise<void> {
  const subject = connection.bus.subjects.log('acme', runId, 'chunks');
  // A busy server acks the last of 70 MB after more than the client's default of 5 s.
  const options = { timeout: 30_000 };
  await Promise.all(batches.map((batch) => stream.access.js.publish(subject, JSON.stringify(batch), options)));
}
const oneByOne = (count: number, size = 1): ChunkBatch[] =>
  Array.from({ length: count }, (_, index) => ({ epoch: 1, index, chunks: [delta('x'.repeat(size))] }));
const over = async (runId: string, nextIndex: number) => {
  const { result, lastChunk } = createFailedRun(runId, { code: 'internal', message: 'ended' });
  const key = stateKeys.end('acme', runId, '1');
  await writeEntry(stream.access, connection.bus.names.state, key, { result, lastChunk }, {});
  return createHead(runId, { status: 'failed', nextIndex });
};
const countChunks = (batches: readonly ChunkBatch[]) => batches.reduce((sum, { chunks }) => sum + chunks.length, 0);

describe('reading a run', () => {
  test('without stored messages returns nothing, and the next request starts there', async () => {
    expect(await readChunks(stream.access, createHead('none'), start)).toEqual({
      remainingMs: expect.any(Number),
      status: 'running',
      epoch: 1,
      nextIndex: 0,
      batches: [],
      complete: false,
    });
  });

  test.each([1, 255, 256, 257, 512])('of %i messages returns all of them', async (count) => {
    const runId = `run-${count}`;
    await store(runId, oneByOne(count));
    const { batches, nextIndex } = await readChunks(stream.access, createHead(runId), start);
    expect({ nextIndex, chunks: countChunks(batches) }).toEqual({ nextIndex: count, chunks: count });
  });

  test('that exceeds one answer is returned in pages', async () => {
    await store('pages', oneByOne(8, 700_000));
    let from: Position = start;
    let [chunks, pages] = [0, 0];
    for (let complete = false; !complete; pages++) {
      const answer = await readChunks(stream.access, await over('pages', 9), from);
      expect(JSON.stringify(answer).length).toBeLessThan(connection.bus.readMaxPayload());
      chunks += countChunks(answer.batches);
      from = { epoch: answer.epoch, index: answer.nextIndex };
      ({ complete } = answer);
    }
    expect(chunks).toBe(9);
    expect(pages).toBeGreaterThan(2);
  });

  test('that has ended is complete after its last chunk, and not before it if that chunk is lost', async () => {
    await store('past', oneByOne(2));
    const head = await over('past', 3);
    const ask = (index: number) => readChunks(stream.access, head, { epoch: 1, index });
    expect(await ask(3)).toMatchObject({ batches: [], complete: true });
    await purgeEntries(stream.access, connection.bus.names.state, stateKeys.end('acme', 'past', String(head.epoch)));
    expect(await ask(2)).toMatchObject({ batches: [], complete: false });
    expect(await ask(3)).toMatchObject({ batches: [], complete: true });
  });

  test('that has ended includes its last chunk, even if that never reached the log', async () => {
    await store('ended', oneByOne(2));
    const { batches, complete, nextIndex } = await readChunks(stream.access, await over('ended', 3), start);
    expect({ complete, nextIndex }).toEqual({ complete: true, nextIndex: 3 });
    expect(batches.flatMap(({ chunks }) => chunks).map(({ type }) => type)).toEqual([
      'text-delta',
      'text-delta',
      'error',
    ]);
  });

  test('has its last chunk once if the log has it too', async () => {
    const { lastChunk } = createFailedRun('twice', { code: 'internal', message: 'ended' });
    await store('twice', [...oneByOne(1), { epoch: 1, index: 1, chunks: [lastChunk] }]);
    expect(countChunks((await readChunks(stream.access, await over('twice', 2), start)).batches)).toBe(2);
  });

  test('with expired chunks reports that, and names the result', async () => {
    await expect(readChunks(stream.access, await over('forgotten', 5), start)).rejects.toMatchObject({
      code: 'chunks-gone',
      message: expect.stringContaining('failed'),
      remedy: expect.stringContaining('result'),
    });
  });

  test('with a new owner without stored messages returns the old epoch', async () => {
    await store('taken', oneByOne(4));
    const head = createHead('taken', {
      epoch: 2,
      nextIndex: 2,
      owners: [start, { epoch: 2, index: 2, firstRecord: 0 }],
    });
    expect(await readChunks(stream.access, head, start)).toMatchObject({ epoch: 1, nextIndex: 4 });
  });

  test.each([0, 1, 4])(
    'with a head that is older than the log is read by the newer head, from %i on',
    async (index) => {
      const runId = `older-head-${index}`;
      const ofSecond = { epoch: 2, index: 2, chunks: [delta('a'), delta('b')] };
      await store(runId, [...oneByOne(2), ofSecond]);
      const owners = [start, { epoch: 2, index: 2, firstRecord: 0 }];
      const newer = createHead(runId, { epoch: 2, nextIndex: 2, owners });
      const key = stateKeys.head('acme', runId);
      await writeEntry(stream.access, connection.bus.names.state, key, newer, {});
      const { batches } = await readChunks(stream.access, createHead(runId), { epoch: 1, index });
      expect(countChunks(batches)).toBe(index < 2 ? 4 - index : 2);
    },
  );

  test.each([0, 2])(
    'with a late message of an owner that was replaced at %i returns everything that counts',
    async (index) => {
      const runId = `late-${index}`;
      const own = (at: number) => ({ epoch: 2, index: at, chunks: [delta('of the second')] });
      await store(runId, oneByOne(index));
      for (const batch of [own(index), own(index + 1)]) await store(runId, [batch]);
      // The owner was paused, and its pending message was stored after all.
      await store(runId, [{ epoch: 1, index, chunks: [delta('of the first')] }]);
      const owners = [start, { epoch: 2, index, firstRecord: 0 }];
      const ended = { ...(await over(runId, index + 3)), epoch: 2, owners };
      const { lastChunk, result } = createFailedRun(runId, { code: 'internal', message: 'ended' });
      const key = stateKeys.end('acme', runId, '2');
      await writeEntry(stream.access, connection.bus.names.state, key, { result, lastChunk }, {});
      const { batches, complete } = await readChunks(stream.access, ended, start);
      expect({ complete, chunks: countChunks(batches) }).toEqual({ complete: true, chunks: index + 3 });
      expect(JSON.stringify(batches)).not.toContain('of the first');
    },
  );
});

describe('reading a run’s events and chunks', () => {
  test('skips invalid messages with a log line, and returns the rest', async () => {
    const subject = connection.bus.subjects.log('acme', 'odd', 'chunks');
    await stream.access.js.publish(subject, 'not json');
    await stream.access.js.publish(subject, '{"n":1}');
    const found = await readStored(stream.access, {
      stream: connection.bus.names.chunks(0),
      subject,
      schema: z.object({ n: z.number() }),
    });
    expect(found).toEqual([{ n: 1 }]);
  });

  test('continues if the server returned less than requested', async () => {
    // More than the server sends at once, 64 MiB.
    await store('large', oneByOne(100, 700_000));
    const subject = connection.bus.subjects.log('acme', 'large', 'chunks');
    const all = { stream: connection.bus.names.chunks(0), subject, schema: z.object({ index: z.number() }) };
    // A busy server takes longer for 70 MB than the client waits.
    const found = await eventually(() => readStored(stream.access, all), { timeoutMs: 25_000 });
    expect(found.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  test('releases its subscriptions', async () => {
    await store('often', oneByOne(300));
    const before = await countSubscriptions(nats.monitorUrl);
    for (let n = 0; n < 20; n++) await readChunks(stream.access, createHead('often'), start);
    await connection.bus.nc.flush();
    expect(await countSubscriptions(nats.monitorUrl)).toBe(before);
  });
});
