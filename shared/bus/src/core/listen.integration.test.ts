import { useBus, useNats, createCollectedLog } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { listen, type Listening } from './listen.ts';
import { publish, publishInBatches } from './publish.ts';

const nats = useNats();
const speaker = useBus(nats, 'speaker');
const hearer = useBus(nats, 'hearer');

const batchSchema = z.object({ n: z.number(), end: z.boolean().optional(), chunks: z.array(z.string()) });
type Batch = z.infer<typeof batchSchema>;
let listening: Listening | undefined;
afterEach(() => listening?.stop());

/** Returns the received batches, published with a number for each message. */
async function collectBatches(chunks: string[], maxBytes: number): Promise<Batch[]> {
  const seen: Batch[] = [];
  listening = listen(hearer.bus, 'batches', batchSchema, (batch) => seen.push(batch));
  await hearer.bus.nc.flush();
  let n = 0;
  publishInBatches(speaker.bus, 'batches', chunks, maxBytes, (last) => ({ n: n++, ...(last && { end: true }) }));
  await speaker.bus.nc.flush();
  await hearer.bus.nc.flush();
  return seen;
}

test('Chunks that fit are sent in one message, which is marked as last', async () => {
  expect(await collectBatches(['a', 'b'], 1_000)).toEqual([{ n: 0, end: true, chunks: ['a', 'b'] }]);
});

test('A batch without chunks is one message: a heartbeat', async () => {
  expect(await collectBatches([], 1_000)).toEqual([{ n: 0, end: true, chunks: [] }]);
});

test('Chunks that do not fit are split into numbered messages, and only the last one ends the batch', async () => {
  const chunks = Array.from({ length: 9 }, (_, at) => String(at).repeat(100));
  const batches = await collectBatches(chunks, 350);
  expect(batches.flatMap((batch) => batch.chunks)).toEqual(chunks);
  expect(batches.map((batch) => batch.n)).toEqual(batches.map((_, at) => at));
  expect(batches.map((batch) => batch.end)).toEqual(
    batches.map((_, at) => (at === batches.length - 1 ? true : undefined)),
  );
  for (const batch of batches) expect(JSON.stringify(batch.chunks).length).toBeLessThanOrEqual(350);
});

test('One chunk over the bound is sent alone', async () => {
  const large = 'x'.repeat(1_000);
  expect((await collectBatches(['a', large, 'b'], 300)).map((batch) => batch.chunks)).toEqual([['a'], [large], ['b']]);
});

test("One chunk over the server's limit is rejected before it is sent", async () => {
  const huge = 'x'.repeat(speaker.bus.readMaxPayload());
  expect(() => publishInBatches(speaker.bus, 'batches', [huge], 1_000, () => ({}))).toThrow(
    expect.objectContaining({ code: 'message-too-large' }),
  );
});

test('A handler that throws is logged, and later messages still arrive', async () => {
  const log = createCollectedLog();
  const bus = await hearer.connect({ log });
  const seen: number[] = [];
  listening = listen(bus, 'throwing', z.object({ n: z.number() }), ({ n }) => {
    if (n === 1) throw new Error('a bug');
    seen.push(n);
  });
  await bus.nc.flush();
  for (const n of [0, 1, 2]) publish(speaker.bus, 'throwing', { n });
  await speaker.bus.nc.flush();
  await bus.nc.flush();
  expect(seen).toEqual([0, 2]);
  expect(log.lines).toEqual([
    expect.objectContaining({ level: 'error', fields: expect.objectContaining({ subject: 'throwing' }) }),
  ]);
});
