// Sessions of processors that declare no changes, with replicas in another language: their output is compared with
// their input.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, makeText } from '../testing/chunks.ts';
import { usePlayedSessions, words } from '../testing/session-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const session = usePlayedSessions(connection);
async function listSent(count: number, mayChange = false) {
  const made = await session({ mayChange });
  made.client.push(words(count));
  await eventually(() => made.received().length === count);
  return made;
}
const refused = { lost: { code: 'processor-verdict-refused', message: expect.stringContaining('"text-delta"') } };

describe('a processor that declares no changes', () => {
  test('may hold text back, cut it differently, and add custom chunks', async () => {
    const made = await listSent(3);
    made.send({ chunks: [] });
    made.send({ chunks: [dataChunk('note'), delta('0 1')] });
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.send({ chunks: [delta(' 2 ')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'continue' }] }]);
    expect(makeText(made.output)).toBe('0 1 2 ');
  });

  test('may name chunks, and send others back', async () => {
    const made = await listSent(4);
    made.send({ same: { from: 0, count: 2 }, processed: 2 });
    made.send({ chunks: [delta('2 ')], processed: 3 });
    made.send({ same: { from: 3, count: 1 }, processed: 4 });
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'continue' }] }]);
    expect(makeText(made.output)).toBe('0 1 2 3 ');
  });

  test('and makes one fails at once: the changed chunk is not published', async () => {
    const made = await listSent(2);
    made.send({ chunks: [delta('0 ')], processed: 1 });
    made.send({ chunks: [delta('one ')] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
    expect(makeText(made.output)).toBe('0 ');
  });

  test('and drops a chunk fails at the next one', async () => {
    const made = await listSent(3);
    made.send({ same: { from: 0, count: 1 }, processed: 1 });
    made.send({ same: { from: 2, count: 1 } });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
    expect(makeText(made.output)).toBe('0 ');
  });

  test('and drops the last one fails at the end', async () => {
    const made = await listSent(2);
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.send({ chunks: [delta('0 ')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
  });

  test('and stops need not release held text', async () => {
    const made = await listSent(2);
    made.finish([{ type: 'abort', reason: 'no' }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'abort' }] }]);
  });
});

test('a processor that may change chunks is not compared', async () => {
  const made = await listSent(2, true);
  made.send({ chunks: [delta('zero')] });
  made.client.end();
  await eventually(() => made.inputs.some(({ end }) => end));
  made.finish();
  await eventually(() => made.ends.length === 1);
  expect(makeText(made.output)).toBe('zero');
});
