// The orchestrator's end of a stream session against a replica that a test plays: batches, and the end.
import { SESSION_LIMITS } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { makeChunk } from '../transcript/make-chunk.ts';
import { delta, makeText } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { usePlayedSessions, words, type PlayedSession } from '../testing/session-replica.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const session = usePlayedSessions(connection);
const finish = () =>
  makeChunk(RUN_ID, { type: 'finish', payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] } });
const isDense = ({ inputs }: PlayedSession) => inputs.every(({ sequence }, at) => sequence === at);

describe('chunks that a replica names', () => {
  test('are output as they were sent, before those of the batch', async () => {
    const made = await session();
    made.client.push(words(3));
    await eventually(() => made.received().length === 3);
    made.send({ same: { from: 0, count: 2 }, chunks: [delta('and')], processed: 2 });
    made.send({ same: { from: 2, count: 1 } });
    await eventually(() => made.output.length === 4);
    expect(makeText(made.output)).toBe('0 1 and2 ');
  });

  test.each([
    ['twice', { from: 0, count: 1 }],
    ['that were not sent', { from: 1, count: 100 }],
  ])('%s end the session: a few bytes must not create chunks without end', async (_what, same) => {
    const made = await session();
    made.client.push(words(3));
    await eventually(() => made.received().length === 3);
    made.send({ same: { from: 0, count: 1 }, processed: 0 });
    made.send({ same, processed: 0 });
    await eventually(() => made.ends.length > 0);
    expect(made.ends).toMatchObject([{ lost: { code: 'processor-failed' } }]);
    expect(makeText(made.output)).toBe('0 ');
  });
});

describe('batches into a session', () => {
  test('are sent at once if none is in flight, and are numbered densely', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.answer([delta('one')]);
    await eventually(() => makeText(made.output) === 'one');
    made.client.push(words(1, 1));
    await eventually(() => made.received().length === 2);
    expect(isDense(made)).toBe(true);
  });

  test('gather while one is in flight, and are sent when it is done', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    for (let n = 1; n < 50; n++) made.client.push(words(1, n));
    await made.settle();
    expect(made.received()).toHaveLength(1);
    made.send({});
    await eventually(() => made.received().length === 50);
    expect(made.inputs.filter(({ chunks }) => chunks.length > 0)).toHaveLength(2);
    expect(makeText(made.received())).toBe(makeText(words(50)));
  });

  test('hold the chunks of one turn, because one read of a model has several pieces', async () => {
    const made = await session();
    for (let n = 0; n < 50; n++) made.client.push(words(1, n));
    await eventually(() => made.received().length === 50);
    expect(made.inputs).toHaveLength(1);
    expect(makeText(made.received())).toBe(makeText(words(50)));
  });

  test('are sent without waiting when enough has gathered', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.client.push(words(SESSION_LIMITS.batchChunks, 1));
    await eventually(() => made.received().length === SESSION_LIMITS.batchChunks + 1);
    expect(isDense(made)).toBe(true);
  });

  test('never exceed the window of unprocessed chunks', async () => {
    const made = await session();
    const many = SESSION_LIMITS.windowChunks * 2;
    made.client.push(words(many));
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks);
    expect(made.client.countWaiting()).toBe(many - SESSION_LIMITS.windowChunks);
    made.send({ processed: 300 });
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks + 300);
    expect(made.client.countWaiting()).toBe(many - SESSION_LIMITS.windowChunks - 300);
    made.send({});
    await eventually(() => made.received().length === many);
    expect(makeText(made.received())).toBe(makeText(words(many)));
  });

  test('are split if they would be too large for one message', async () => {
    const made = await session();
    made.client.push(Array.from({ length: 10 }, () => delta('x'.repeat(100_000))));
    await eventually(() => made.received().length === 10);
    expect(made.inputs.filter(({ chunks }) => chunks.length > 0).length).toBeGreaterThan(3);
    expect(isDense(made)).toBe(true);
  });

  test('wait for the start: earlier chunks are sent then', async () => {
    const made = await session({ started: false });
    made.client.push(words(2));
    await made.settle();
    expect(made.inputs).toEqual([]);
    made.start();
    await eventually(() => made.received().length === 2);
  });
});

describe('the end of a session', () => {
  test('is sent with the last chunks, and the verdicts end the session', async () => {
    const made = await session();
    made.client.push(words(1));
    made.client.push(words(3, 1));
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    expect(made.received()).toHaveLength(4);
    made.send({ chunks: [delta('last')] });
    made.finish([{ type: 'continue', state: { sequence: 1 } }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([{ verdicts: [{ type: 'continue', state: { sequence: 1 } }], ms: [1] }]);
    expect(makeText(made.output)).toBe('last');
  });

  test('waits for the window, so that no chunk is left', async () => {
    const made = await session();
    made.client.push(words(SESSION_LIMITS.windowChunks + 5));
    made.client.end();
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks);
    expect(made.inputs.some(({ end }) => end)).toBe(false);
    made.send({});
    await eventually(() => made.inputs.some(({ end }) => end));
    expect(made.received()).toHaveLength(SESSION_LIMITS.windowChunks + 5);
    expect(made.inputs.filter(({ end }) => end)).toHaveLength(1);
  });

  test('of an empty session is sent alone', async () => {
    const made = await session();
    made.client.end();
    expect(await eventually(() => made.inputs.find(({ end }) => end))).toMatchObject({ sequence: 0, chunks: [] });
  });

  test('is not up to the replica: verdicts of continue before it lose the session', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.send({ chunks: [delta('a')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'session-lost', message: expect.stringContaining('its end') } }]);
  });

  test('with fewer processed chunks than were sent loses the session, because text must not vanish with it', async () => {
    const made = await session();
    made.client.push(words(2));
    made.client.end();
    await eventually(() => made.received().length === 2);
    made.send({ processed: 1, verdicts: [{ type: 'continue' }], ms: [1] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'session-lost', message: expect.stringContaining('1 of 2') } }]);
  });

  test('with more verdicts than entries is refused', async () => {
    const made = await session();
    made.client.end();
    made.finish([{ type: 'continue' }, { type: 'continue' }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'processor-verdict-refused' } }]);
  });

  test('without the finish that was sent loses the session: it may be changed, not dropped', async () => {
    const made = await session();
    made.client.push([finish()]);
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.finish();
    await eventually(() => made.ends.length > 0);
    expect(made.ends).toMatchObject([{ lost: { code: 'processor-failed' } }]);
  });

  test.each([
    ['that did not go in', 0],
    ['twice', 1],
  ])('with a finish %s is refused', async (_what, pushed) => {
    const made = await session();
    made.client.push([...words(1), ...Array.from({ length: pushed }, finish)]);
    await eventually(() => made.received().length === 1 + pushed);
    made.answer([delta('0 '), finish(), ...(pushed > 0 ? [finish()] : [])]);
    await eventually(() => made.ends.length > 0);
    expect(made.ends).toMatchObject([{ lost: { code: 'processor-failed' } }]);
    expect(made.output).toEqual([]);
  });

  test('may be sent by the replica at any time with a verdict that stops the stream', async () => {
    const made = await session();
    made.client.push(words(1));
    made.finish([{ type: 'abort', reason: 'no' }]);
    await eventually(() => made.ends.length === 1);
    // Chunks on their way have arrived.
    await made.settle();
    const sent = made.inputs.length;
    made.client.push(words(5));
    made.client.end();
    await made.settle();
    expect(made.inputs).toHaveLength(sent);
  });
});

describe('a session that is dropped', () => {
  test('is closed at both ends: no further output, and no end event', async () => {
    const made = await session();
    made.client.push(words(1));
    made.client.drop();
    await eventually(() => made.inputs.some(({ drop }) => drop));
    made.answer([delta('late')]);
    made.finish();
    made.client.push(words(1));
    await made.settle();
    expect(made.output).toEqual([]);
    expect(made.ends).toEqual([]);
  });
});
