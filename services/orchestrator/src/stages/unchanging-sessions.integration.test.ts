// Sessions of processors that say that they change nothing, with replicas in another language: what they send back is held against what
// they were sent.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, textOf } from '../testing/chunks.ts';
import { usePlayedSessions, words } from '../testing/session-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const session = usePlayedSessions(connection);
async function sent(count: number, mayChange = false) {
  const made = await session({ mayChange });
  made.client.push(words(count));
  await eventually(() => made.received().length === count);
  return made;
}
const refused = { lost: { code: 'processor-verdict-refused', message: expect.stringContaining('"text-delta"') } };

describe('a processor that says that it changes nothing', () => {
  test('may hold text back, cut it otherwise, and say something of its own', async () => {
    const made = await sent(3);
    made.send({ chunks: [] });
    made.send({ chunks: [dataChunk('note'), delta('0 1')] });
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.send({ chunks: [delta(' 2 ')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'continue' }] }]);
    expect(textOf(made.output)).toBe('0 1 2 ');
  });

  test('may name chunks, and send others back', async () => {
    const made = await sent(4);
    made.send({ same: { from: 0, count: 2 }, processed: 2 });
    made.send({ chunks: [delta('2 ')], processed: 3 });
    made.send({ same: { from: 3, count: 1 }, processed: 4 });
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'continue' }] }]);
    expect(textOf(made.output)).toBe('0 1 2 3 ');
  });

  test('and does fails at once: what it has changed does not come out', async () => {
    const made = await sent(2);
    made.send({ chunks: [delta('0 ')], processed: 1 });
    made.send({ chunks: [delta('one ')] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
    expect(textOf(made.output)).toBe('0 ');
  });

  test('and leaves a chunk out fails where the next one comes', async () => {
    const made = await sent(3);
    made.send({ same: { from: 0, count: 1 }, processed: 1 });
    made.send({ same: { from: 2, count: 1 } });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
    expect(textOf(made.output)).toBe('0 ');
  });

  test('and leaves the last one out fails at the end', async () => {
    const made = await sent(2);
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.send({ chunks: [delta('0 ')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([refused]);
  });

  test('and stops need not let out what it held', async () => {
    const made = await sent(2);
    made.finish([{ type: 'abort', reason: 'no' }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ verdicts: [{ type: 'abort' }] }]);
  });
});

test('a processor that may change chunks is not held to it', async () => {
  const made = await sent(2, true);
  made.send({ chunks: [delta('zero')] });
  made.client.end();
  await eventually(() => made.inputs.some(({ end }) => end));
  made.finish();
  await eventually(() => made.ends.length === 1);
  expect(textOf(made.output)).toBe('zero');
});
